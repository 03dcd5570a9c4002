/*
 * Encrypts signing secrets and private keys with AES-256-GCM under a key derived from HOOKTAPE_SECRET. The purpose is
 * authenticated, so that an encrypted value cannot be used in another place.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { RandomBytes } from '../ids/ids.ts';

/** The purposes of sealed values. */
export const sealPurpose = {
  signingSecret: (id: string): string => `secret:${id}`,
  /** The password and the token of an endpoint's guard. */
  guard: (id: string): string => `guard:${id}`,
  /** The channel of an alert, with its secret. */
  alertChannel: (id: string): string => `alert:${id}`,
  /** Headers that a forward adds. */
  forward: (id: string): string => `forward:${id}`,
  /** The secrets with which a forward signs. */
  forwardSecret: (id: string): string => `forward-secret:${id}`,
  /** The callback of a subscription: its URL and secrets. */
  subscription: (id: string): string => `subscription:${id}`,
  /** The secret of an account's one-time codes. */
  totp: (accountId: string): string => `totp:${accountId}`,
  /** A challenge that `issuer` made for a passkey. */
  passkeyChallenge: (issuer: string, purpose: string): string => `passkey-challenge:${issuer}:${purpose}`,
  /** A sign-in that a browser has begun at this OpenID Connect provider. */
  pendingOidc: (issuer: string): string => `oidc:${issuer}`,
  /** An ID token of this provider. */
  idToken: (issuer: string): string => `id_token:${issuer}`,
};

export type Sealer = {
  /** @param purpose the place of the value, such as `secret:sec_…` */
  seal: (text: string, purpose: string) => Uint8Array;
  /** Undefined if it was encrypted with another secret or for another purpose, or was altered. */
  open: (sealed: Uint8Array, purpose: string) => string | undefined;
};

const version = 1;
const nonceLength = 12;
const tagLength = 16;

export function createSealer(secret: string, random: RandomBytes): Sealer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'hooktape sealing key v1', 32));
  return {
    seal: (text, purpose) => {
      const nonce = random(nonceLength);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Uint8Array.of(version), nonce, cipher.getAuthTag(), sealed]);
    },
    open: (sealed, purpose) => {
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
