/*
 * Explains the signature of a stored event and checks it with a secret from the request. What a stored secret produces is never in
 * the answer, because anyone who could read it could sign with it. It only says which stored secret fits the received signature,
 * which a delivery to that secret's endpoint shows as well.
 */

import type { MemberAccess } from '../../core/access/principal.ts';
import { advance, type CreateSlices } from '../../core/concurrency/time-slices.ts';
import { encodeBody } from '../../core/encoding/body-encoding.ts';
import { invalidAt } from '../../core/errors.ts';
import { firstBytes } from '../../core/text.ts';
import type { Explanation } from '../../platforms/engine/explain.ts';
import type { RawDelivery, Verdict } from '../../platforms/engine/model.ts';
import { toRawDelivery } from '../../platforms/engine/raw-delivery.ts';
import { examine, findPlatform, parseSecret } from '../../platforms/platforms.ts';
import type { StoredEvent } from '../events/reading.ts';
import type { SignatureCheckRequest, SignatureExplanation } from './model.ts';
import { type SavedSecrets, trySaved } from './saved-secrets.ts';

export type SignaturesService = ReturnType<typeof createSignaturesService>;

const maxShownBytes = 64 << 10;

export function createSignaturesService(options: {
  /** Runs `use` with the event, when it belongs to the principal's team. @throws not_found, damaged, rate_limited, overloaded */
  readStored: <T>(
    principal: MemberAccess,
    id: string,
    use: (event: StoredEvent) => Promise<T>,
    signal?: AbortSignal,
  ) => Promise<T>;
  /** The verdict that the event shows. */
  verdictOf: (event: StoredEvent) => Promise<Verdict | null>;
  /** The URLs that the sender may have signed. */
  urlsOf: (event: StoredEvent, delivery: RawDelivery) => readonly string[];
  /** The secrets of an endpoint, by its row number, and the secrets of the team's other endpoints. */
  savedSecrets: (teamId: string, endpoint: number) => Promise<SavedSecrets>;
  createSlices: CreateSlices;
}) {
  const { readStored, verdictOf, urlsOf, savedSecrets, createSlices } = options;

  const checkEvent = async (
    { teamId }: MemberAccess,
    event: StoredEvent,
    given: SignatureCheckRequest,
    signal: AbortSignal | undefined,
  ): Promise<SignatureExplanation> => {
    const yieldIfDue = createSlices(signal);
    const shown = await verdictOf(event);
    await yieldIfDue();
    const platform = given.platform === undefined ? (shown?.platform ?? event.row.platform) : nameOf(given.platform);
    const secret = given.secret === undefined ? null : parsed(platform, given.secret);
    const isOwn = given.platform === undefined && given.scheme === undefined;
    const delivery = toRawDelivery({ ...event.row, headers: event.headers, body: event.body });
    const { receivedAt } = event.row;
    const sent = { delivery, platform, scheme: given.scheme, receivedAt, urls: urlsOf(event, delivery) };
    const steps = examine({ ...sent, secret, shown: isOwn ? shown : null });
    const { explanation, trials } = await advance(steps, yieldIfDue);
    if (given.scheme !== undefined && !explanation.schemes.includes(given.scheme))
      throw invalidAt(
        ['scheme'],
        `the event has no signature of that scheme${explanation.schemes.length > 0 ? `, only of ${explanation.schemes.join(', ')}` : ''}`,
      );
    const { match, tried } =
      isOwn && secret === null && shown
        ? await advance(
            trySaved({ ...sent, trials }, await savedSecrets(teamId, event.row.endpoint), shown),
            yieldIfDue,
          )
        : { match: null, tried: null };
    return {
      ...verdictFields({ explanation, platform, shown: isOwn ? shown : undefined, isGiven: secret !== null }),
      ...signedFields(explanation),
      ...timestampFields(explanation, receivedAt),
      schemes: explanation.schemes,
      received: explanation.received,
      expected: explanation.expected,
      signatureEncoding: explanation.encoding,
      causes: match?.cause ? [{ cause: match.cause, proven: true }] : explanation.causes,
      match: match && { secretId: match.secret.id, last4: match.secret.last4, endpointId: match.secret.endpointId },
      tried,
    };
  };

  return {
    /**
     * @throws not_found, damaged, rate_limited, overloaded; invalid when the text cannot be a secret of the platform, or the event has
     * no such signature
     */
    check: (
      principal: MemberAccess,
      id: string,
      given: SignatureCheckRequest,
      signal?: AbortSignal,
    ): Promise<SignatureExplanation> =>
      readStored(principal, id, event => checkEvent(principal, event, given, signal), signal),
  };
}

const nameOf = (given: string): string => {
  const platform = findPlatform(given);
  if (!platform) throw invalidAt(['platform'], `unknown platform "${given.slice(0, 60)}"`);
  return platform.name;
};

const parsed = (platform: string | null, text: string): string => {
  const read = parseSecret(platform, text);
  if ('error' in read) throw invalidAt(['secret'], read.error, read.error);
  return read.secret;
};

/**
 * @param shown undefined if the request names a platform or scheme, because the verdict of the endpoint's secrets does not apply
 * then
 */
function verdictFields(given: {
  explanation: Explanation;
  platform: string | null;
  shown: Verdict | null | undefined;
  isGiven: boolean;
}) {
  const { explanation, platform, shown, isGiven } = given;
  const verdict = isGiven ? explanation.verdict : (shown ?? null);
  const hasSignature = explanation.schemes.length > 0 || verdict !== null;
  return {
    verdict: verdict?.verdict ?? ('unchecked' as const),
    reason: verdict ? verdict.reason : hasSignature ? ('no_secret' as const) : ('no_signature' as const),
    proves: verdict?.proves ?? null,
    checkedWith: isGiven ? ('request' as const) : shown ? ('stored' as const) : null,
    platform,
    scheme: verdict?.scheme ?? explanation.scheme,
  };
}

function signedFields({ signed }: Explanation) {
  if (!signed) return { signedString: null, signedStringEncoding: 'utf8' as const, signedBytes: 0, parts: [] };
  const { bytes } = signed;
  const head = firstBytes(bytes, maxShownBytes);
  const { body: signedString, bodyEncoding: signedStringEncoding } = encodeBody(head);
  const end = head.length;
  return {
    signedString,
    signedStringEncoding,
    signedBytes: bytes.length,
    parts: signed.parts.filter(({ start }) => start < end).map(part => ({ ...part, end: Math.min(part.end, end) })),
  };
}

const timestampFields = ({ timestamp, toleranceSeconds }: Explanation, receivedAt: number) => ({
  timestamp: timestamp?.at ?? null,
  timestampFrom: timestamp?.from ?? null,
  skewS: timestamp?.at == null ? null : Math.round(receivedAt - timestamp.at) / 1000,
  toleranceS: toleranceSeconds,
});
