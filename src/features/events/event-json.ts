/* From an event's row to its wire shape. Stored bytes become text here and nowhere else. */
import { eventId } from '../../core/ids.ts';
import { maxParsedBodyBytes, payloadPreviewCharacters } from '../../core/limits.ts';
import { decodeUtf8, decodeUtf8Leniently, firstCharacters } from '../../core/text.ts';
import type { EventSummary, ReplayAttempt, Signature } from './model.ts';
import type { ReplayRow, SummaryRow } from './store.ts';

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** `signatureValid` of interface.md: null unless there is both a signature and a secret to check it with. */
export function signatureValid(signature: Signature | null): boolean | null {
  if (signature === null || signature.verdict === 'unchecked') return null;
  return signature.verdict === 'valid';
}

export function toSummary(row: SummaryRow, signature: Signature | null): EventSummary {
  return {
    id: eventId(row.seq, row.nonce),
    eventType: row.eventType,
    platform: row.platform,
    method: row.method,
    receivedAt: row.receivedAt,
    payloadPreview: firstCharacters(decodeUtf8Leniently(row.preview), payloadPreviewCharacters),
    size: row.size,
    path: latin1(row.path),
    signatureValid: signatureValid(signature),
  };
}

export const queryText = (query: Uint8Array | null): string | null => (query === null ? null : latin1(query));

export function toAttempt(row: ReplayRow): ReplayAttempt {
  const { destination, status, ok, durationMs, createdAt, accountId, email } = row;
  return { destination, status, ok, durationMs, createdAt, replayedBy: email, formerMember: accountId === null };
}

/** The body as JSON text can carry it: UTF-8 as it is, anything else in base64. */
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

/** Inside an answer that is nested 10,000 deep, as far as common parsers go (Go, jq); JSON.stringify ends at 40,000. */
export const maxDepth = 9999;

/** null for what is not JSON, and for what is so large or deep that answering with it would hurt the reader. */
function parsePayload(text: string, size: number): unknown {
  if (size === 0 || size > maxParsedBodyBytes || depthExceeds(text, maxDepth)) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Brackets outside strings; exact for valid JSON, and for anything else it does not matter. */
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
