import { describe, expect, test } from 'bun:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { createTextMatcher } from './text-matcher.ts';

const text = 'Ada Müller+1@Example.org';
const hash = 'hash_abcDEF0123456-_x';

function has(content: string | Uint8Array, wanted = text): boolean {
  const steps = createTextMatcher(wanted, hash)(Buffer.from(content as string));
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

const json = JSON.stringify({ a: 1, customer: { email: text } });
const escapedAll = [...text].map(c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const quotedPrintable = (given: string): string =>
  [...Buffer.from(given)]
    .map((byte, i) => (byte < 126 && i % 8 > 0 ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase()}`))
    .join('')
    .replace(/(.{12})/, '$1=\r\n');
const lines = (base64: string): string => (base64.match(/.{1,76}/g) ?? []).join('\r\n');
const utf16 = Buffer.from(json, 'utf16le');

describe('finds the text', () => {
  test.each<[string, string | Uint8Array]>([
    ['as it is', json],
    ['in another case', json.toUpperCase()],
    ['escaped as JSON', `{"a":"${escapedAll}"}`],
    ['in JSON in JSON', JSON.stringify({ payload: `{"a":"${escapedAll}"}` })],
    ['percent-encoded', `a=1&email=${encodeURIComponent(text)}`],
    ['completely percent-encoded', `a=${[...Buffer.from(text)].map(byte => `%${byte.toString(16)}`).join('')}`],
    ['as a form', new URLSearchParams({ a: '1', email: text }).toString()],
    ['in JSON in a form', new URLSearchParams({ payload: json }).toString()],
    ['escaped in JSON in a form', new URLSearchParams({ payload: `{"a":"${escapedAll}"}` }).toString()],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(text))],
    ['in base64 in JSON', JSON.stringify({ message: { data: Buffer.from(json).toString('base64') } })],
    ['in base64url', `data=${Buffer.from(json).toString('base64url')}`],
    ['in UTF-8 that a header has as Latin-1', JSON.stringify([['x-name', Buffer.from(text).toString('latin1')]])],
    ['escaped as XML', `<a>${[...text].map(c => `&#x${c.charCodeAt(0).toString(16)};`).join('')}</a>`],
    ['escaped as XML with decimals', `<a>${[...text].map(c => `&#${c.charCodeAt(0)};`).join('')}</a>`],
    ['quoted-printable', quotedPrintable(text)],
    ['in hex', `{"a":"0${Buffer.from(text).toString('hex')}"}`],
    ['in lines of base64', lines(Buffer.from('x'.repeat(50) + text + 'y'.repeat(60)).toString('base64'))],
    ['in gzip in base64', JSON.stringify({ data: gzipSync(json).toString('base64') })],
    ['in Latin-1', Buffer.from(json, 'latin1')],
    ['in UTF-16', utf16],
    ['in UTF-16, big endian', Buffer.from(utf16).swap16()],
    ['in gzip', gzipSync(json)],
    ['in deflate', deflateSync(json)],
    ['in raw deflate', deflateRawSync(json.repeat(3))],
    ['in brotli', brotliCompressSync(Buffer.concat([Buffer.from(json), crypto.getRandomValues(new Uint8Array(300))]))],
    ['in zstd', zstdCompressSync(json)],
    ['by its hash', `{"email":"${hash}"}`],
    ['late in a long content', Buffer.concat([Buffer.alloc(200_000, 'x'), Buffer.from(json)])],
    ['across windows', Buffer.concat([Buffer.alloc(65_530, ' '), Buffer.from(json)])],
    [
      'across windows in base64',
      Buffer.from(Buffer.concat([Buffer.alloc(49_131, 'ab,'), Buffer.from(json)]).toString('base64')),
    ],
  ])('%s', (_, content) => expect(has(content)).toBe(true));
});

describe('finds nothing', () => {
  test.each<[string, string | Uint8Array]>([
    ['in an empty content', ''],
    ['in another text', JSON.stringify({ email: 'ada.muller@example.org' })],
    ['in another case of the hash', hash.toUpperCase()],
    [
      'in random bytes',
      Uint8Array.from({ length: 100_000 }, (_, i) => (Bun.hash(String(i)) > 2n ** 63n ? i & 255 : (i * 7) & 255)),
    ],
  ])('%s', (_, content) => expect(has(content)).toBe(false));

  test('of what a pattern could mean', () => {
    expect(has('axbxcxdxe', 'a.b.c.d.')).toBe(false);
    expect(has('100% sure: 50%off \\', '100% sure')).toBe(true);
    expect(has('a%zzb+c\\qd', 'a%zzb+c\\')).toBe(true);
  });
});

test('takes small steps, whatever a stranger sends', () => {
  const hostile = ['\\'.repeat(400_000), '%25'.repeat(200_000), '\\u005c'.repeat(100_000), 'QUFB'.repeat(150_000)];
  for (const content of hostile) {
    let steps = 0;
    for (const _ of createTextMatcher(text, hash)(Buffer.from(content))) steps++;
    expect(steps).toBeGreaterThan(content.length / 100_000);
  }
});
