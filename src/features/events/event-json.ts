/* Converts rows of events and replay attempts to their wire shapes. Only here are stored bytes decoded. */

import { shownOutcome } from '../../core/answers/model.ts';
import { latin1 } from '../../core/encoding/buffer.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { basisOf, encodeDeliveryKey, numberOfRow } from '../../core/ids/delivery-key.ts';
import { eventId, replayId } from '../../core/ids/ids.ts';
import { maxParsedBodyBytes, payloadPreviewCharacters } from '../../core/limits.ts';
import { pick } from '../../core/pick.ts';
import type { Redacted } from '../../core/redaction/model.ts';
import { readKeptRequest } from '../../core/replay/kept-request.ts';
import { replayNote } from '../../core/replay/replay-note.ts';
import { decodeUtf8, decodeUtf8Leniently, firstCharacters } from '../../core/text.ts';
import type { DeliveryPlace } from './attempts.ts';
import type { EventSummary, KeptResponse, ReplayAttempt } from './model.ts';
import type { VerifiedSignature } from './reading.ts';
import type { ReplayAttemptRow, SummaryRow } from './store.ts';

/** null unless the event has a signature and the endpoint a secret to verify it with */
export function signatureValid(signature: VerifiedSignature | null): boolean | null {
  if (signature === null || signature.verdict === 'unchecked') return null;
  return signature.verdict === 'valid';
}

/** The place of an event that was removed after it was read: it is the only known attempt of its delivery. */
const alone = (row: SummaryRow): DeliveryPlace => {
  const number = numberOfRow(row);
  return { key: encodeDeliveryKey({ number, since: undefined }), basis: basisOf(number), attempt: 1, attempts: 1 };
};

/** The verdict on an event whose signature was not verified. */
const unverified = ({ isSigned }: SummaryRow): EventSummary['verdict'] => {
  if (isSigned === null || isSigned === undefined) return null;
  return isSigned ? 'unchecked' : 'none';
};

/** @param of `signature`: null when the event has none, undefined when it was not verified */
export function toSummary(
  row: SummaryRow,
  of: { signature: VerifiedSignature | null | undefined; delivery: DeliveryPlace | undefined },
): EventSummary {
  const { signature, delivery = alone(row) } = of;
  return {
    id: eventId(row.seq, row.nonce),
    ...pick(row, 'eventType', 'platform', 'method', 'receivedAt', 'size', 'pin', 'tags', 'redacted'),
    payloadPreview: firstCharacters(decodeUtf8Leniently(row.preview), payloadPreviewCharacters),
    // Without a type, the action may serve as the type.
    action: row.action === undefined || row.action === row.eventType ? null : row.action,
    highlights: row.highlights ?? [],
    matched: [],
    path: latin1(row.path),
    signatureValid: signatureValid(signature ?? null),
    verdict: signature === null ? 'none' : (signature?.verdict ?? unverified(row)),
    ...shownOutcome(row.outcome),
    delivery,
  };
}

export const queryText = (query: Uint8Array | null): string | null => (query === null ? null : latin1(query));

/** @param event whose attempt it is; `bodyHash`: the SHA-256 of its body, hex */
export function toReplayAttempt(
  row: ReplayAttemptRow,
  event: {
    nonce: Uint8Array;
    method: string;
    headers: readonly HeaderPair[];
    bodyHash: string;
    redacted: Redacted | null;
    isUnsigned: boolean;
  },
): ReplayAttempt {
  const { seq, accountId, email, response, request, ...attempt } = row;
  return {
    id: replayId(seq, event.nonce),
    ...attempt,
    replayedBy: email,
    formerMember: accountId === null,
    response: response && (JSON.parse(response.toString('utf8')) as KeptResponse),
    request: request && { url: attempt.destination, ...readKeptRequest(request, event) },
    // A listener does not say that it sent a redacted event.
    note: replayNote(event, { ...attempt, edited: attempt.edited || attempt.via === 'listen' }),
  };
}

/** The body as text: UTF-8 as it is, anything else in base64. */
export function toPayload(body: Uint8Array): {
  payload: unknown;
  payloadRaw: string;
  payloadEncoding: 'utf8' | 'base64';
} {
  const text = decodeUtf8(body);
  if (text === undefined)
    return { payload: null, payloadRaw: Buffer.from(body).toString('base64'), payloadEncoding: 'base64' };
  return { payload: parsePayload(text, body.length), payloadRaw: text, payloadEncoding: 'utf8' };
}

/** Inside an answer, 10,000 levels: the limit of common parsers (Go, jq). JSON.stringify fails at 40,000. */
export const maxDepth = 9999;

/** null for a body that is not JSON, or too large or too deep for common parsers. */
function parsePayload(text: string, size: number): unknown {
  if (size === 0 || size > maxParsedBodyBytes || depthExceeds(text, maxDepth)) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Counts brackets outside strings: exact for valid JSON, and other text is refused by the parser. */
function depthExceeds(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > limit) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}
