/*
 * The keyed hashes of erasures: what redaction wrote in place of a text, what the audit log says of it, and what is kept of an erased
 * delivery.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { deriveRedactionKey, hashOf } from '../../core/redaction/key.ts';

export type ErasureHashes = ReturnType<typeof createErasureHashes>;

export function createErasureHashes(secret: string) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'hooktape erasure key v1', 32));
  const hmac = (...parts: string[]): Buffer => createHmac('sha256', key).update(JSON.stringify(parts)).digest();
  return {
    redacted: (teamId: string, text: string): string => hashOf(deriveRedactionKey(secret, teamId), text),
    /** It is not the hash that redacted events have. */
    text: (teamId: string, text: string): string =>
      hmac('text', teamId, text.toLowerCase()).toString('base64url').slice(0, 16),
    delivery: (endpointId: string, guid: string): Uint8Array => hmac('delivery', endpointId, guid.toLowerCase()),
  };
}
