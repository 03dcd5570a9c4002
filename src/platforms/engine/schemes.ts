/*
 * Sentences for the signature column of the table: each makes a `Scheme` with the usual case as its default
 * (HMAC-SHA256 in hex over the raw body, key = the secret as text).
 */
import type { Hash, SignatureScheme } from './model.ts';

type Options = Partial<Omit<SignatureScheme, 'kind' | 'header'>>;

/** HMAC over a template. */
export const hmac = (header: string, options: Options = {}): SignatureScheme => {
  const hash: Hash = options.hash ?? 'sha256';
  return {
    kind: 'hmac',
    label: `hmac-${hash}`,
    header,
    hash,
    encoding: 'hex',
    message: '{body}',
    keyFormat: 'text',
    proves: 'payload',
    ...options,
  };
};

/** `t=<time>,v1=<hex>` over `{t}.{body}`, the form that Stripe made popular. */
export const timedHmac = (header: string, options: Options = {}): SignatureScheme =>
  hmac(header, {
    list: { separator: ',', signature: 'v1', timestamp: 't' },
    message: '{t}.{body}',
    time: { from: 'value:t', unit: 's', toleranceSeconds: 300 },
    ...options,
  });

/** Standard Webhooks: `v1,<base64>`, several by spaces, over id, timestamp and body. */
export const standardWebhooks = (family: 'webhook' | 'svix', options: Options = {}): SignatureScheme => ({
  kind: 'standard-webhooks',
  label: 'standard-webhooks',
  header: `${family}-signature`,
  family,
  keyFormat: 'whsec',
  time: { from: `header:${family}-timestamp`, unit: 's', toleranceSeconds: 300 },
  proves: 'payload',
  ...options,
});

/** A fixed value that the sender repeats: whoever saw one delivery can forge the next. */
export const token = (header: string, options: Options = {}): SignatureScheme => ({
  kind: 'token',
  label: 'token',
  header,
  keyFormat: 'text',
  proves: 'origin',
  ...options,
});

/** Ed25519 or ECDSA over a template, checked with the platform's public key. */
export const publicKey = (header: string, key: 'ed25519' | 'public-key', options: Options = {}): SignatureScheme => ({
  kind: 'public-key',
  label: key === 'ed25519' ? 'ed25519' : 'ecdsa-p256-sha256',
  header,
  encoding: key === 'ed25519' ? 'hex' : 'base64',
  message: '{body}',
  hash: 'sha256',
  keyFormat: key,
  proves: 'payload',
  ...options,
});

/** A construction of its own, with its own routine. */
export const customScheme = (
  kind: SignatureScheme['kind'],
  header: string | null,
  options: Options = {},
): SignatureScheme => ({
  kind,
  label: kind,
  header,
  keyFormat: 'text',
  proves: 'payload',
  ...options,
});
