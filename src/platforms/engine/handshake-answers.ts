/* Answers to a handshake. They reflect only short values, as plain text, JSON or a header of printable characters. */
import type { HandshakeReply } from './platform.ts';

const maxReflectedLength = 4096;
const headerValue = /^[\x21-\x7e]{1,256}$/;

export const plainText = (text: string): HandshakeReply | null =>
  text === '' || text.length > maxReflectedLength
    ? null
    : {
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
        body: text,
      };

export const json = (value: Readonly<Record<string, unknown>>): HandshakeReply | null => {
  const body = JSON.stringify(value);
  return body.length > 2 * maxReflectedLength
    ? null
    : {
        status: 200,
        headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
        body,
      };
};

export const empty = (status: number): HandshakeReply => ({ status, headers: {}, body: '' });

/** Adds a header to the answer; null if the value is not allowed in a header. */
export const withHeader = (name: string, value: string, answer: HandshakeReply): HandshakeReply | null =>
  headerValue.test(value) ? { ...answer, headers: { ...answer.headers, [name]: value } } : null;

/** The value if it is allowed in a header, else `*`. */
export const headerValueOrAny = (value: string | undefined): string =>
  value !== undefined && headerValue.test(value) ? value : '*';
