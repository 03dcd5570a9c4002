/*
 * Explains a verdict: what was signed, which signature the delivery has, which signature a secret produces, and how old the
 * signature was. The verifiers themselves report what they compare.
 *
 * This is not a signing oracle: `explain` computes signatures only with a secret that the caller passes, and is never given a
 * stored one. Without a secret, the verifiers run with a placeholder key to report the rest. The trials take stored secrets: they
 * only say whether a received signature fits, as sending the delivery would.
 */
import { createDeliveryReader, type DeliveryReader } from './delivery-reader.ts';
import { type Cause, createTrials, findCauses, type Trials } from './mismatch-causes.ts';
import type { RawDelivery, Verdict } from './model.ts';
import type { Platform } from './platform.ts';
import type { PlatformIndex } from './platform-index.ts';
import { splitPair } from './secrets.ts';
import { type SignatureEncoding, signatureEncoding } from './signature-encoding.ts';
import type { Comparison, KeyFormat, SignatureScheme } from './signature-scheme.ts';
import { headerValues, parseNamedValues, signaturePresence } from './signature-values.ts';
import { describeMessage, type SignedMessage } from './signed-message.ts';
import { readTimestamp } from './verifiers/check.ts';
import { jwtClaims } from './verifiers/jwt.ts';
import { type Attempt, judge } from './verify.ts';

export type ExplainInput = {
  delivery: RawDelivery;
  platform: string | null;
  /** The label of the only scheme to check; undefined = all schemes of the platform. */
  scheme: string | undefined;
  /** The parsed secret; null = no secret was passed. */
  secret: string | null;
  /** The verdict that the event has. Without a secret, it determines the likely causes. */
  shown: Verdict | null;
  /** Epoch ms. */
  receivedAt: number;
  urls: readonly string[];
};

export type Explanation = {
  /** The verdict with the given secret; null without a secret, and if the delivery has no such signature. */
  verdict: Verdict | null;
  /** The labels of the platform's schemes whose signature the delivery has. */
  schemes: string[];
  scheme: string | null;
  /** Null if the scheme signs nothing (a fixed value), or if the signed message could not be determined. */
  signed: SignedMessage | null;
  encoding: SignatureEncoding;
  received: string[];
  /** Null without a secret, if the delivery contains the secret itself, and if the secret can only verify. */
  expected: string[] | null;
  /** Epoch ms. `from`: where it was read, such as `header:x-timestamp`. */
  timestamp: { at: number | null; from: string } | null;
  toleranceSeconds: number | null;
  causes: Cause[];
};

/** `trials`: of other secrets on the same delivery; undefined if it has no signature of the platform. */
export type Examination = { explanation: Explanation; trials: Trials | undefined };

const maxExpected = 8;

/** Placeholders that are valid secrets of each format, where that is possible. They reveal nothing. */
const standIn = 'stand-in-for-the-secret';
const standIns: Partial<Record<KeyFormat, string>> = {
  hex: '00',
  base64: 'AAAA',
  whsec: 'whsec_AAAA',
  'after-colon': `stand-in:${standIn}`,
  pair: `${standIn}|${standIn}`,
  'id-and-certificate': `${standIn}|${standIn}`,
};

export function createExplainer({
  index: { find },
  schemesOf,
}: {
  index: PlatformIndex;
  schemesOf: (platform: Platform | null) => readonly SignatureScheme[];
}) {
  function* observe({ delivery, scheme: label, secret, receivedAt, urls, ...input }: Omit<ExplainInput, 'shown'>) {
    const reader = createDeliveryReader(delivery);
    const platform = (input.platform === null ? null : find(input.platform)) ?? null;
    const present = schemesOf(platform).filter(one => signaturePresence(one, reader) !== 'absent');
    const schemes = label === undefined ? present : present.filter(one => one.label === label);
    const compared = new Map<SignatureScheme, Comparison[]>();
    const observed = schemes.map(one => withObserver(one, compared));
    const attempt: Attempt = { reader, receivedAt, urls };
    const verdict = secret === null ? null : judgeWith(platform, observed, secret, attempt);
    if (secret === null) yield* observeStandIns(observed, attempt);
    yield;
    const hasMatch = (one: SignatureScheme): boolean => compared.get(one)?.some(isMatch) ?? false;
    const scheme =
      schemes.find(one => one.label === verdict?.scheme && verdict.reason === null && hasMatch(one)) ??
      schemes.find(one => one.label === verdict?.scheme && compared.has(one)) ??
      schemes.find(one => compared.has(one)) ??
      schemes[0];
    const labels = [...new Set(present.map(one => one.label))];
    if (!scheme) return { verdict, labels };
    const comparisons = compared.get(scheme) ?? [];
    const comparison = tellingComparison(comparisons, verdict);
    const signed = comparison?.message
      ? describeMessage(comparison.message, { scheme, reader, urls, secrets: partsOf(secret ?? standInOf(scheme)) })
      : null;
    return { verdict, labels, told: { scheme, comparisons, comparison, signed, attempt } };
  }

  function* examine({ secret, shown, ...input }: ExplainInput): Generator<void, Examination> {
    const { verdict, labels, told } = yield* observe({ secret, ...input });
    if (!told) return { explanation: { ...nothing, verdict, schemes: labels }, trials: undefined };
    yield;
    const { scheme, comparisons, comparison, signed, attempt } = told;
    const encoding = signatureEncoding(scheme, attempt.reader, comparison);
    const explanation = {
      verdict,
      schemes: labels,
      scheme: scheme.label,
      signed,
      encoding,
      received: comparison?.received.map(bytes => encode(bytes, encoding)) ?? [],
      expected: secret === null ? null : expectedOf(comparisons, comparison, encoding),
      timestamp: timestampOf(scheme, attempt.reader),
      toleranceSeconds: scheme.timestamp?.toleranceSeconds ?? null,
      causes: yield* findCauses({ verdict: secret === null ? shown : verdict, scheme, secret, signed, attempt }),
    };
    return { explanation, trials: createTrials(told) };
  }

  return {
    /** In steps, because a large body takes long. */
    examine,

    explain(input: ExplainInput): Explanation {
      const steps = examine(input);
      for (;;) {
        const { done, value } = steps.next();
        if (done) return value.explanation;
      }
    },
  };
}

const nothing: Omit<Explanation, 'verdict' | 'schemes'> = {
  scheme: null,
  signed: null,
  encoding: 'hex',
  received: [],
  expected: null,
  timestamp: null,
  toleranceSeconds: null,
  causes: [],
};

const judgeWith = (
  platform: Platform | null,
  schemes: readonly SignatureScheme[],
  secret: string,
  attempt: Attempt,
): Verdict | null => judge({ platform, schemes, secrets: [{ platform: null, secret }] }, attempt);

/** A copy of the scheme that records its comparisons in `compared`. */
function withObserver(scheme: SignatureScheme, compared: Map<SignatureScheme, Comparison[]>): SignatureScheme {
  const observe = (comparison: Comparison): void => {
    compared.set(scheme, [...(compared.get(scheme) ?? []), comparison]);
  };
  return { ...scheme, verify: check => scheme.verify({ ...check, scheme, observe }) };
}

/** Runs the verifiers with a placeholder key, only to record what they compare. Their results are discarded. */
function* observeStandIns(schemes: readonly SignatureScheme[], attempt: Attempt): Generator<void, void> {
  for (const scheme of schemes) {
    if (signaturePresence(scheme, attempt.reader) !== 'present') continue;
    scheme.verify({ scheme, secret: standInOf(scheme), ...attempt });
    yield;
  }
}

const standInOf = ({ keyFormat }: SignatureScheme): string => standIns[keyFormat] ?? standIn;

/** The spelling of the message that matched, or else the first that was compared. */
const tellingComparison = (all: readonly Comparison[], verdict: Verdict | null): Comparison | undefined =>
  verdict?.verdict === 'valid' || verdict?.reason === 'timestamp_out_of_tolerance'
    ? all.at(-1)
    : (all.find(one => !isMatch(one)) ?? all[0]);

const isMatch = ({ received, expected }: Comparison): boolean =>
  expected !== null && received.some(value => Buffer.compare(value, expected) === 0);

/** The signatures that the secret produces for the same message; several if the secret can be read as several keys. */
function expectedOf(
  all: readonly Comparison[],
  telling: Comparison | undefined,
  encoding: SignatureEncoding,
): string[] | null {
  const same = all.filter(one => isSameMessage(one, telling)).flatMap(({ expected }) => expected ?? []);
  const texts = new Set(same.map(bytes => encode(bytes, encoding)));
  return texts.size === 0 ? null : [...texts].slice(0, maxExpected);
}

const isSameMessage = (one: Comparison, other: Comparison | undefined): boolean =>
  one.message === other?.message ||
  (one.message?.length === other?.message?.length &&
    (one.message ?? []).every((part, i) => part === other?.message?.[i]));

const encode = (bytes: Uint8Array, encoding: SignatureEncoding): string => Buffer.from(bytes).toString(encoding);

/** The secret and its parts, because a scheme may sign only a part of it. */
const partsOf = (secret: string): string[] => {
  const pair = splitPair(secret);
  return pair === null ? [secret] : [secret, pair.left, pair.right];
};

function timestampOf(scheme: SignatureScheme, reader: DeliveryReader): Explanation['timestamp'] {
  if (!scheme.timestamp) return null;
  const { value = '', prefix = '' } = headerValues(scheme, reader)[0] ?? {};
  const at = readTimestamp(scheme.timestamp, reader, {
    named: parseNamedValues(value, scheme.list?.separator ?? ','),
    claims: jwtClaims(value.slice(value.startsWith(prefix) ? prefix.length : 0).trim()),
  });
  const { from } = scheme.timestamp;
  // A value or claim is in the signature header itself.
  return {
    at,
    from: /^(value|claim):/.test(from) ? `header:${scheme.header} ${from.slice(from.indexOf(':') + 1)}` : from,
  };
}
