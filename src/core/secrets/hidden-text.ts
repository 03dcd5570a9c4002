/* Replaces secrets and added credentials in the response of a destination, which may echo the request. */
import { type HeaderPair, isCredentialHeader, redacted } from '../headers.ts';

export type HiddenText = { text: string; shownAs: string };

/** Shorter texts are too common to be hidden. */
const minHiddenCharacters = 4;

/** Credentials that come with a request: they are redacted wherever they are stored, like captured ones. */
export const credentialsIn = (headers: readonly (readonly [name: string, value: string | null])[]): HiddenText[] =>
  headers.flatMap(([name, value]) => {
    if (value === null || !isCredentialHeader(name.toLowerCase())) return [];
    return [value, value.slice(value.indexOf(' ') + 1)].map(text => ({ text, shownAs: redacted }));
  });

export function hideIn(body: Uint8Array, hidden: readonly HiddenText[]): Uint8Array {
  const found = spellings(hidden).filter(({ text }) =>
    Buffer.from(body.buffer, body.byteOffset, body.length).includes(text, 0, 'latin1'),
  );
  if (found.length === 0) return body;
  return Buffer.from(replaceAll(Buffer.from(body).toString('latin1'), found), 'latin1');
}

export function hideInHeaders(pairs: readonly HeaderPair[], hidden: readonly HiddenText[]): HeaderPair[] {
  const texts = spellings(hidden);
  return pairs.map(([name, value]) => [name, replaceAll(value, texts)]);
}

/** As latin1 text of UTF-8 bytes, plain and in the forms in which a server may echo a header: JSON, base64 of it or of a text around it, percent-encoded. */
function spellings(hidden: readonly HiddenText[]): HiddenText[] {
  return hidden
    .filter(({ text }) => text.length >= minHiddenCharacters)
    .flatMap(({ text, shownAs }) => {
      const bytes = Buffer.from(text, 'utf8');
      const forms = [
        bytes.toString('latin1'),
        JSON.stringify(text).slice(1, -1),
        bytes.toString('base64'),
        ...[0, 1, 2].map(before => insideBase64(bytes, before)),
        encodeURIComponent(text.toWellFormed()),
      ];
      return [...new Set(forms)].map(form => ({ text: form, shownAs }));
    });
}

/** The characters that only these bytes decide, when `before` bytes, or three more each, come before them. */
const insideBase64 = (bytes: Buffer, before: number): string =>
  Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));

const replaceAll = (value: string, texts: readonly HiddenText[]): string =>
  texts.reduce((text, { text: hiddenText, shownAs }) => text.replaceAll(hiddenText, () => shownAs), value);
