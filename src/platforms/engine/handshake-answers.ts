/*
 * The few forms that a handshake's answer has. What a stranger sent is reflected only as plain text that no browser will take for
 * anything else, as JSON, or as a header of printable characters; and only when it is short.
 */
import type { HandshakeAnswer } from './model.ts';

const longestReflection = 4096;
const headerValue = /^[\x21-\x7e]{1,256}$/;

export const plainText = (text: string): HandshakeAnswer | null =>
  text === '' || text.length > longestReflection
    ? null
    : {
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
        body: text,
      };

export const json = (value: Readonly<Record<string, unknown>>): HandshakeAnswer | null => {
  const body = JSON.stringify(value);
  return body.length > 2 * longestReflection
    ? null
    : {
        status: 200,
        headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
        body,
      };
};

export const empty = (status: number): HandshakeAnswer => ({ status, headers: {}, body: '' });

/** Null where the value could not stand in a header. */
export const headerEcho = (name: string, value: string, answer: HandshakeAnswer): HandshakeAnswer | null =>
  headerValue.test(value) ? { ...answer, headers: { ...answer.headers, [name]: value } } : null;

/** A value fit for a header, or `*`. */
export const orAny = (value: string | undefined): string =>
  value !== undefined && headerValue.test(value) ? value : '*';
