/*
 * What is kept of the answer to a replay, as JSON in its wire shape: the beginning of headers and body. Credentials in it, and texts
 * that must not be shown, such as the secret that signed the request, are replaced.
 */
import { type BodyEncoding, encodeBody } from '../../core/body-encoding.ts';
import { type HeaderPair, isCredentialHeader, redacted } from '../../core/headers.ts';
import { keptResponseBytes } from '../../core/limits.ts';
import { firstBytes } from '../../core/text.ts';

export type KeptResponse = {
  headers: [string, string][];
  body: string;
  bodyEncoding: BodyEncoding;
  truncated: boolean;
};

/** `shownAs`: what stands in place of the text. */
export type HiddenText = { text: string; shownAs: string };

/** Sets cookies: the answer's counterpart of `Cookie`. */
const answerCredentials = new Set(['set-cookie', 'set-cookie2']);
/** Shorter texts are too common to be hidden. */
const minHiddenCharacters = 4;

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

/** A body without the hidden texts. */
export function hideIn(body: Uint8Array, hidden: readonly HiddenText[]): Uint8Array {
  const found = spellings(hidden).filter(({ text }) =>
    Buffer.from(body.buffer, body.byteOffset, body.length).includes(text, 0, 'latin1'),
  );
  if (found.length === 0) return body;
  return Buffer.from(replaceAll(Buffer.from(body).toString('latin1'), found), 'latin1');
}

function keepHeaders(pairs: readonly HeaderPair[], hidden: readonly HiddenText[]): [string, string][] {
  const texts = spellings(hidden);
  const kept: [string, string][] = [];
  let size = 0;
  for (const [name, value] of pairs) {
    const lower = name.toLowerCase();
    const shown = isCredentialHeader(lower) || answerCredentials.has(lower) ? redacted : replaceAll(value, texts);
    size += name.length + shown.length + 4;
    if (size > keptResponseBytes) break;
    kept.push([name, shown]);
  }
  return kept;
}

/** As latin1 text of UTF-8 bytes, plain and in the forms in which a server may echo a header: JSON, base64, percent-encoded. */
function spellings(hidden: readonly HiddenText[]): HiddenText[] {
  return hidden
    .filter(({ text }) => text.length >= minHiddenCharacters)
    .flatMap(({ text, shownAs }) => {
      const bytes = Buffer.from(text, 'utf8');
      const forms = [
        bytes.toString('latin1'),
        JSON.stringify(text).slice(1, -1),
        bytes.toString('base64'),
        encodeURIComponent(text.toWellFormed()),
      ];
      return [...new Set(forms)].map(form => ({ text: form, shownAs }));
    });
}

const replaceAll = (value: string, texts: readonly HiddenText[]): string =>
  texts.reduce((text, { text: hiddenText, shownAs }) => text.replaceAll(hiddenText, () => shownAs), value);
