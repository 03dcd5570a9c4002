/*
 * Verifies signatures: over the raw bytes, compared in constant time, with any of several secrets against any of several
 * signatures. Timestamps are compared with the time of receipt. Never throws: a signature that cannot be checked is
 * `unchecked`.
 */
import { createDeliveryReader, type DeliveryReader } from './delivery-reader.ts';
import type { RefineByRegistered } from './detect.ts';
import { isConfirmed, type RawDelivery, type Reason, type SigningSecret, type Verdict } from './model.ts';
import type { Platform } from './platform.ts';
import type { PlatformIndex } from './platform-index.ts';
import { canUseSecret } from './secrets.ts';
import type { Outcome, SignatureCheck, SignatureScheme } from './signature-scheme.ts';
import { signaturePresence } from './signature-values.ts';
import { testEventHeader } from './test-secret.ts';

/** `urls`: candidates of the public URL this was sent to (endpoint URL + path + query as received), exact first. */
export type VerifyInput = {
  delivery: RawDelivery;
  platform: string | null;
  secrets: readonly SigningSecret[];
  /** Epoch ms. */
  receivedAt: number;
  urls: readonly string[];
};

/** Null if the delivery has no signature. Secrets of other platforms are not used. */
export type Verify = (input: VerifyInput) => Verdict | null;

/** Best first: the best attempt determines the verdict. */
const findings = [
  'valid',
  // Valid with an unconfirmed secret.
  'unconfirmed',
  'stale',
  'mismatch',
  'malformed',
  'unsupported',
  'redacted',
  // All secrets are unconfirmed, and it is not valid with any of them.
  'only_unconfirmed',
  'no_secret',
] as const;
type Finding = (typeof findings)[number];

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

const isBetter = (a: Finding, b: Finding): boolean => findings.indexOf(a) < findings.indexOf(b);

export function createVerifier({
  index: { all, find },
  refineByRegistered,
  genericSchemes,
}: {
  index: PlatformIndex;
  refineByRegistered: RefineByRegistered;
  genericSchemes: readonly SignatureScheme[];
}) {
  /** The stored platform, unless a secret registered since then identifies a different one. */
  const currentPlatform = (stored: string | null, secrets: readonly SigningSecret[], reader: DeliveryReader) => {
    const registered = new Set(secrets.filter(isConfirmed).flatMap(secret => secret.platform ?? []));
    return refineByRegistered(stored === null ? null : (find(stored) ?? null), reader, [...registered]);
  };

  const schemesOf = (platform: Platform | null): readonly SignatureScheme[] =>
    platform === null || platform.signatures.length === 0 ? genericSchemes : platform.signatures;

  const read = (input: VerifyInput) => {
    const reader = createDeliveryReader(input.delivery);
    const platform = currentPlatform(input.platform, input.secrets, reader);
    const secrets = input.secrets.filter(
      secret => secret.platform === null || (platform !== null && find(secret.platform) === platform),
    );
    const attempt: Attempt = { reader, receivedAt: input.receivedAt, urls: input.urls };
    return { given: { platform, schemes: schemesOf(platform), secrets }, attempt };
  };

  const verify: Verify = input => {
    const { given, attempt } = read(input);
    return judge(given, attempt);
  };

  const schemesInUnstoredHeaders: ReadonlyMap<Platform, readonly SignatureScheme[]> = new Map(
    all
      .map(platform => [platform, platform.signatures.filter(isInUnstoredHeader)] as const)
      .filter(([, schemes]) => schemes.length > 0),
  );

  return {
    verify,
    schemesOf,

    /** The schemes whose signature is valid. One makes the verdict valid, regardless of the headers of the others. */
    validSchemes(input: VerifyInput): SignatureScheme[] {
      const { given, attempt } = read(input);
      return given.schemes.filter(scheme => judge({ ...given, schemes: [scheme] }, attempt)?.verdict === 'valid');
    },

    /** Whether the signature is in a header that is not stored as sent, so that it cannot be verified later. */
    mustVerifyAtCapture(delivery: RawDelivery, name: string | null): boolean {
      const platform = name === null ? undefined : find(name);
      const schemes = platform === undefined ? undefined : schemesInUnstoredHeaders.get(platform);
      if (schemes === undefined) return false;
      const reader = createDeliveryReader(delivery);
      return schemes.some(scheme => signaturePresence(scheme, reader) === 'present');
    },
  };
}

/** The header rules redact `Authorization` and drop `cf-*`. */
const isInUnstoredHeader = ({ header }: SignatureScheme): boolean =>
  header !== null && (header === 'authorization' || header.startsWith('cf-'));

export type Attempt = Omit<SignatureCheck, 'scheme' | 'secret'>;

/** The verdict of the best attempt; null if the delivery has no signature of these schemes. */
export function judge(
  given: { platform: Platform | null; schemes: readonly SignatureScheme[]; secrets: readonly SigningSecret[] },
  attempt: Attempt,
): Verdict | null {
  let best: { scheme: SignatureScheme; finding: Finding } | null = null;
  for (const scheme of given.schemes) {
    const presence = signaturePresence(scheme, attempt.reader);
    if (presence === 'absent') continue;
    const finding = presence === 'redacted' ? presence : trySecrets(scheme, given.secrets, attempt);
    if (best === null || isBetter(finding, best.finding)) best = { scheme, finding };
  }
  if (best === null) return null;
  const { scheme, finding } = best;
  return {
    platform: given.platform?.name ?? null,
    scheme: scheme.label,
    verdict: finding === 'valid' ? 'valid' : invalidFindings.has(finding) ? 'invalid' : 'unchecked',
    reason: reasons[finding],
    proves: finding === 'valid' ? scheme.proves : null,
  };
}

function trySecrets(scheme: SignatureScheme, secrets: readonly SigningSecret[], attempt: Attempt): Finding {
  const finding = bestOutcome(scheme, secrets.filter(isConfirmed), attempt);
  if (finding === 'valid') return finding;
  const tested = bestOutcome(scheme, isTestEvent(attempt.reader) ? secrets.filter(secret => secret.test) : [], attempt);
  // A test secret has no say about deliveries that it has not signed.
  if (tested === 'valid' || tested === 'stale') return tested;
  const unconfirmed = secrets.filter(secret => secret.unconfirmed);
  const other = bestOutcome(scheme, unconfirmed, attempt);
  if (other === 'valid') return 'unconfirmed';
  return finding === 'no_secret' && invalidFindings.has(other) ? 'only_unconfirmed' : finding;
}

/** Anyone who has seen a test event can send it again. That must not count as a delivery of the platform. */
const isTestEvent = (reader: DeliveryReader): boolean => reader.header(testEventHeader.toLowerCase()) !== undefined;

function bestOutcome(
  scheme: SignatureScheme,
  secrets: readonly SigningSecret[],
  attempt: Attempt,
): Outcome | 'no_secret' {
  let best: Outcome | 'no_secret' = 'no_secret';
  for (const { secret } of secrets) {
    if (!canUseSecret(scheme.keyFormat, secret)) continue;
    const outcome = scheme.verify({ scheme, secret, ...attempt });
    if (outcome === 'valid') return outcome;
    if (isBetter(outcome, best)) best = outcome;
  }
  return best;
}
