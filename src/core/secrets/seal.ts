/* AES-256-GCM under a key derived from HOOKTAPE_SECRET. The purpose is authenticated: a value cannot be used elsewhere. */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { RandomBytes } from '../ids/ids.ts';

export const sealPurpose = {
  signingSecret: (id: string): string => `secret:${id}`,
  guard: (id: string): string => `guard:${id}`,
  alertChannel: (id: string): string => `alert:${id}`,
  forward: (id: string): string => `forward:${id}`,
  forwardSecret: (id: string): string => `forward-secret:${id}`,
  subscription: (id: string): string => `subscription:${id}`,
  totp: (accountId: string): string => `totp:${accountId}`,
  passkeyChallenge: (issuer: string, purpose: string): string => `passkey-challenge:${issuer}:${purpose}`,
  /** A sign-in that a browser has begun at this OpenID Connect provider. */
  pendingOidc: (issuer: string): string => `oidc:${issuer}`,
  idToken: (issuer: string): string => `id_token:${issuer}`,
};

export type Sealer = ReturnType<typeof createSealer>;

const version = 1;
const nonceLength = 12;
const tagLength = 16;

export function createSealer(secret: string, random: RandomBytes) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'hooktape sealing key v1', 32));
  return {
    /** @param purpose the place of the value, such as `secret:sec_…` */
    seal: (text: string, purpose: string): Uint8Array => {
      const nonce = random(nonceLength);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Uint8Array.of(version), nonce, cipher.getAuthTag(), sealed]);
    },
    /** Undefined if it was encrypted with another secret or for another purpose, or was altered. */
    open: (sealed: Uint8Array, purpose: string): string | undefined => {
      const bytes = Buffer.from(sealed);
      if (bytes[0] !== version || bytes.length < 1 + nonceLength + tagLength) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + nonceLength))
          .setAAD(Buffer.from(purpose))
          .setAuthTag(bytes.subarray(1 + nonceLength, 1 + nonceLength + tagLength));
        return decipher.update(bytes.subarray(1 + nonceLength + tagLength), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
