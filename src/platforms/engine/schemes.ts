/* Signature schemes for the catalog. The usual case: HMAC-SHA256 in hex over the raw body, the secret's text as key. */
import type { Hash, SignatureScheme, Verifier } from './signature-scheme.ts';
import { signBody, signHmac, signNamedHash } from './signers/hmac.ts';
import { signJwt, signJwtBodyHash } from './signers/jwt.ts';
import { signStandardWebhooks } from './signers/standard-webhooks.ts';
import { signToken } from './signers/token.ts';
import { verifyBodyHmac, verifyHmac, verifyNamedHashHmac } from './verifiers/hmac.ts';
import { hasJwt, verifyJwt, verifyJwtBody, verifyJwtBodyHash } from './verifiers/jwt.ts';
import { verifyPublicKey } from './verifiers/public-key.ts';
import {
  hasStandardWebhooksEntry,
  type StandardWebhooksVariant,
  verifyStandardWebhooks,
} from './verifiers/standard-webhooks.ts';
import { verifyToken } from './verifiers/token.ts';

type Options = Partial<Omit<SignatureScheme, 'verify' | 'header'>>;

/** HMAC over a template. */
export const hmac = (header: string, options: Options = {}): SignatureScheme => {
  const hash: Hash = options.hash ?? 'sha256';
  return {
    label: `hmac-${hash}`,
    verify: verifyHmac,
    sign: signHmac,
    header,
    hash,
    encoding: 'hex',
    message: '{body}',
    keyFormat: 'text',
    proves: 'payload',
    ...options,
  };
};

/** `t=<time>,v1=<hex>` over `{t}.{body}`. */
export const timestampedHmac = (header: string, options: Options = {}): SignatureScheme =>
  hmac(header, {
    list: { separator: ',', signature: 'v1', timestamp: 't' },
    message: '{t}.{body}',
    timestamp: { from: 'value:t', unit: 's', toleranceSeconds: 300 },
    ...options,
  });

/** HMAC over the body; the value names the hash: `sha256=<hex>`. */
export const namedHashHmac = (header: string, options: Options = {}): SignatureScheme =>
  customScheme('hmac', verifyNamedHashHmac, { header, sign: signNamedHash, ...options });

/** HMAC over the body; the prefix or length of the value identifies the hash. For headers that do not belong to a platform. */
export const bodyHmac = (header: string): SignatureScheme =>
  customScheme('hmac', verifyBodyHmac, { header, sign: signBody });

/** Standard Webhooks: `v1,<base64>`, several separated by spaces, over id, timestamp and body. */
export const standardWebhooks = (
  headerPrefix: string,
  { version = 'v1', ...options }: Options & Partial<StandardWebhooksVariant> = {},
): SignatureScheme => {
  const variant = { headerPrefix, version };
  return {
    label: 'standard-webhooks',
    verify: check => verifyStandardWebhooks(check, variant),
    sign: options.keyFormat === 'ed25519' ? undefined : signStandardWebhooks(variant),
    header: `${headerPrefix}-signature`,
    isPresent: (reader, scheme) => hasStandardWebhooksEntry(reader, scheme, version),
    keyFormat: 'whsec',
    timestamp: { from: `header:${headerPrefix}-timestamp`, unit: 's', toleranceSeconds: 300 },
    proves: 'payload',
    ...options,
  };
};

/** A fixed value in every delivery: anyone who has seen one delivery can forge the next. */
export const token = (header: string, options: Options = {}): SignatureScheme => ({
  label: 'token',
  verify: verifyToken,
  sign: signToken,
  header,
  keyFormat: 'text',
  proves: 'origin',
  ...options,
});

/** Ed25519 or ECDSA over a template, verified with the platform's public key. */
export const publicKey = (
  header: string,
  keyFormat: 'ed25519' | 'public-key',
  options: Options = {},
): SignatureScheme => ({
  label: keyFormat === 'ed25519' ? 'ed25519' : 'ecdsa-p256-sha256',
  verify: verifyPublicKey,
  header,
  encoding: keyFormat === 'ed25519' ? 'hex' : 'base64',
  message: '{body}',
  hash: 'sha256',
  keyFormat,
  proves: 'payload',
  ...options,
});

/** A JSON Web Token that does not cover the body. HS256 with a text as the key, RS256 or ES256 with a public key. */
export const jwt = (header: string, label: string, options: Options = {}): SignatureScheme =>
  customScheme(label, verifyJwt, {
    header,
    sign: isSymmetric(options) ? signJwt : undefined,
    isPresent: hasJwt,
    proves: 'origin',
    ...options,
  });

const isSymmetric = ({ keyFormat = 'text' }: Options): boolean => keyFormat === 'text';

/** A token with the hex SHA-256 of the body in one of its claims. `claims`: what else its tokens claim. */
export const jwtBodyHash = (
  header: string,
  label: string,
  options: Options & { claim: string; claims?: Record<string, string> },
): SignatureScheme => {
  const { claim, claims = {}, ...rest } = options;
  const sign = isSymmetric(rest) ? signJwtBodyHash(claim, claims) : undefined;
  return customScheme(label, check => verifyJwtBodyHash(check, claim), { header, sign, ...rest });
};

/** The body is a JSON Web Token. */
export const jwtBody = (label: string, options: Options = {}): SignatureScheme =>
  customScheme(label, verifyJwtBody, { isPresent: ({ delivery }) => delivery.body.length > 0, ...options });

/** For a single platform. Without a header, `isPresent` checks whether the body contains a signature. */
export const customScheme = (
  label: string,
  verify: Verifier,
  options: Options & { header?: string } = {},
): SignatureScheme => ({
  label,
  verify,
  header: null,
  keyFormat: 'text',
  proves: 'payload',
  ...options,
});
