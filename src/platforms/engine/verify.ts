/*
 * Does the signature hold? Raw bytes, constant-time comparison, any of several secrets against any of several signatures; the clock
 * is the time of receipt. Never throws: what cannot be judged is said to be unchecked.
 */

import { findPlatform, platforms } from '../platforms.ts';
import { createDeliveryReader } from './delivery-reader.ts';
import { refineByRegistered } from './detect.ts';
import {
  isConfirmed,
  type Platform,
  type RawDelivery,
  type Reason,
  type SchemeKind,
  type SignatureScheme,
  type SigningSecret,
  type Verdict,
} from './model.ts';
import { customScheme, hmac, standardWebhooks } from './schemes.ts';
import { canUseSecret } from './secrets.ts';
import { signaturePresence } from './signature-values.ts';
import type { Outcome, SignatureCheck, Verifier } from './verifiers/check.ts';
import {
  checkAdyenItems,
  checkBraintree,
  checkClientState,
  checkDropboxSign,
  checkMailgun,
  checkMercadoPago,
} from './verifiers/fields.ts';
import {
  checkBodyHmac,
  checkHmac,
  checkHook0,
  checkRecurly,
  checkStandardWebhooks,
  checkToken,
  checkWebSub,
} from './verifiers/hmac.ts';
import { checkJwt, checkJwtBody, checkJwtBodyHash } from './verifiers/jwt.ts';
import {
  checkEbay,
  checkPaddleClassic,
  checkPayPal,
  checkPublicKey,
  checkSns,
  checkStandardWebhooksKey,
  checkTravis,
} from './verifiers/public-key.ts';
import { checkContentful, checkHubspotHash, checkHubspotV3, checkMandrill, checkTwilio } from './verifiers/url.ts';

const verifiers: Readonly<Record<SchemeKind, Verifier>> = {
  hmac: checkHmac,
  'standard-webhooks': check =>
    check.scheme.keyFormat === 'ed25519' ? checkStandardWebhooksKey(check) : checkStandardWebhooks(check),
  token: checkToken,
  'public-key': checkPublicKey,
  'body-hmac': checkBodyHmac,
  websub: checkWebSub,
  recurly: checkRecurly,
  hook0: checkHook0,
  twilio: checkTwilio,
  mandrill: checkMandrill,
  'hubspot-v3': checkHubspotV3,
  'hubspot-hash': checkHubspotHash,
  contentful: checkContentful,
  'adyen-items': checkAdyenItems,
  braintree: checkBraintree,
  mailgun: checkMailgun,
  'dropbox-sign': checkDropboxSign,
  mercadopago: checkMercadoPago,
  'client-state': checkClientState,
  jwt: checkJwt,
  'jwt-body-hash': checkJwtBodyHash,
  'jwt-body': checkJwtBody,
  'aws-sns': checkSns,
  paypal: checkPayPal,
  travis: checkTravis,
  'paddle-classic': checkPaddleClassic,
  ebay: checkEbay,
};

/** For deliveries that no platform is known for: forms that many senders share. */
export const genericSchemes: readonly SignatureScheme[] = [
  standardWebhooks('webhook', { keyFormat: 'whsec-or-text' }),
  standardWebhooks('svix', { keyFormat: 'whsec-or-text' }),
  hmac('x-hub-signature-256', { prefix: 'sha256=' }),
  customScheme('websub', 'x-hub-signature', { label: 'hmac' }),
  ...['x-signature', 'x-signature-256', 'x-webhook-signature', 'x-webhook-signature-256', 'webhook-signature'].map(
    header => customScheme('body-hmac', header, { label: 'hmac' }),
  ),
];

/** Best first: the verdict is that of the best attempt. */
const ranks = [
  'valid',
  // Holds under an unconfirmed secret.
  'unconfirmed',
  'stale',
  'mismatch',
  'malformed',
  'unsupported',
  'redacted',
  // There are unconfirmed secrets only, and it holds under none of them.
  'only_unconfirmed',
  'no_secret',
] as const;
type Finding = (typeof ranks)[number];

const reasons: Readonly<Record<Finding, Reason>> = {
  valid: null,
  unconfirmed: 'unconfirmed_secret',
  only_unconfirmed: 'unconfirmed_secret',
  stale: 'timestamp_out_of_tolerance',
  mismatch: 'wrong_secret_or_altered_body',
  malformed: 'malformed_header',
  unsupported: 'unsupported',
  redacted: 'unsupported',
  no_secret: 'no_secret',
};

const invalidFindings: ReadonlySet<Finding> = new Set<Finding>(['stale', 'mismatch', 'malformed']);

/**
 * Null when the delivery carries no signature. `urls`: candidates of the public URL this was sent to, exact first (endpoint URL + path
 * + query as received). `receivedAt`: epoch ms. Secrets of other platforms do not count.
 */
export function verify(input: {
  delivery: RawDelivery;
  platform: string | null;
  secrets: readonly SigningSecret[];
  receivedAt: number;
  urls: readonly string[];
}): Verdict | null {
  const reader = createDeliveryReader(input.delivery);
  const row = platformFor(input.platform, input.secrets, reader);
  const schemes = row === null || row.signatures.length === 0 ? genericSchemes : row.signatures;
  const secrets = input.secrets.filter(
    ({ platform }) => platform === null || (row !== null && findPlatform(platform) === row),
  );
  let best: { scheme: SignatureScheme; finding: Finding } | null = null;
  for (const scheme of schemes) {
    const shown = signaturePresence(scheme, reader);
    if (shown === 'absent') continue;
    const finding =
      shown === 'redacted'
        ? 'redacted'
        : trySecrets(scheme, secrets, { reader, receivedAt: input.receivedAt, urls: input.urls });
    if (best === null || ranks.indexOf(finding) < ranks.indexOf(best.finding)) best = { scheme, finding };
  }
  if (best === null) return null;
  const { scheme, finding } = best;
  return {
    platform: row?.name ?? null,
    scheme: scheme.label,
    verdict: finding === 'valid' ? 'valid' : invalidFindings.has(finding) ? 'invalid' : 'unchecked',
    reason: reasons[finding],
    proves: finding === 'valid' ? scheme.proves : null,
  };
}

/** True when the proof of this delivery is in headers that are stored redacted or not at all: it must be judged at capture. */
export function mustVerifyAtCapture(delivery: RawDelivery, platform: string | null): boolean {
  const row = platform === null ? undefined : findPlatform(platform);
  const vanishing = row === undefined ? undefined : schemesNotStored.get(row);
  if (vanishing === undefined) return false;
  const reader = createDeliveryReader(delivery);
  return vanishing.some(scheme => signaturePresence(scheme, reader) === 'present');
}

const schemesNotStored: ReadonlyMap<Platform, readonly SignatureScheme[]> = new Map(
  platforms
    .map(
      row =>
        [row, row.signatures.filter(({ header }) => header === 'authorization' || header?.startsWith('cf-'))] as const,
    )
    .filter(([, schemes]) => schemes.length > 0),
);

/** The stored platform, unless it was left open and a secret that was registered since settles it. */
function platformFor(
  platform: string | null,
  secrets: readonly SigningSecret[],
  reader: SignatureCheck['reader'],
): Platform | null {
  const stored = platform === null ? null : (findPlatform(platform) ?? null);
  const registered = new Set(secrets.filter(isConfirmed).flatMap(secret => secret.platform ?? []));
  return refineByRegistered(stored, reader, [...registered]);
}

type Attempt = Omit<SignatureCheck, 'scheme' | 'secret'>;

function trySecrets(scheme: SignatureScheme, secrets: readonly SigningSecret[], rest: Attempt): Finding {
  const found = bestOf(scheme, secrets.filter(isConfirmed), rest);
  if (found === 'valid') return found;
  const unconfirmed = secrets.filter(secret => !isConfirmed(secret));
  const other = bestOf(scheme, unconfirmed, rest);
  if (other === 'valid') return 'unconfirmed';
  return found === 'no_secret' && invalidFindings.has(other) ? 'only_unconfirmed' : found;
}

function bestOf(scheme: SignatureScheme, secrets: readonly SigningSecret[], rest: Attempt): Outcome | 'no_secret' {
  let best: Outcome | 'no_secret' = 'no_secret';
  for (const { secret } of secrets) {
    if (!canUseSecret(scheme.keyFormat, secret)) continue;
    const outcome = verifiers[scheme.kind]({ scheme, secret, ...rest });
    if (outcome === 'valid') return outcome;
    if (ranks.indexOf(outcome) < ranks.indexOf(best)) best = outcome;
  }
  return best;
}
