/*
 * The stored part of the response to a replay, as JSON in its wire shape: the beginning of headers and body. Credentials, and
 * texts that must not be shown, such as the secret that signed the request, are replaced.
 */
import { type BodyEncoding, encodeBody } from '../../core/encoding/body-encoding.ts';
import { type HeaderPair, isCredentialHeader, redacted } from '../../core/headers.ts';
import { keptResponseBytes } from '../../core/limits.ts';
import { type HiddenText, hideIn, hideInHeaders } from '../../core/secrets/hidden-text.ts';
import { firstBytes } from '../../core/text.ts';

export type KeptResponse = {
  headers: [string, string][];
  body: string;
  bodyEncoding: BodyEncoding;
  truncated: boolean;
};

/** Sets cookies: the counterpart of `Cookie` in a response. */
const answerCredentials = new Set(['set-cookie', 'set-cookie2']);

export function keepResponse(
  answer: { headers: readonly HeaderPair[]; body: Uint8Array; truncated: boolean },
  hidden: readonly HiddenText[] = [],
): KeptResponse {
  const headers = keepHeaders(answer.headers, hidden);
  const whole = hideIn(answer.body, hidden);
  const body = firstBytes(whole, keptResponseBytes);
  return {
    headers,
    ...encodeBody(body),
    truncated: answer.truncated || body.length < whole.length || headers.length < answer.headers.length,
  };
}

/** The headers of a response as they may be shown and stored. */
export const shownHeaders = (pairs: readonly HeaderPair[], hidden: readonly HiddenText[]): HeaderPair[] =>
  hideInHeaders(pairs, hidden).map(([name, value]) => {
    const lower = name.toLowerCase();
    return [name, isCredentialHeader(lower) || answerCredentials.has(lower) ? redacted : value];
  });

function keepHeaders(pairs: readonly HeaderPair[], hidden: readonly HiddenText[]): [string, string][] {
  const kept: [string, string][] = [];
  let size = 0;
  for (const [name, shown] of shownHeaders(pairs, hidden)) {
    size += name.length + shown.length + 4;
    if (size > keptResponseBytes) break;
    kept.push([name, shown]);
  }
  return kept;
}
