import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { packContent } from '../../testing/stored-events.ts';
import { sha256 } from '../encoding/sha256.ts';
import { checkHash, DamagedError, type OwnContent, parseContent, unpackOwn } from './stored-content.ts';

const pairs = [
  ['Host', 'x'],
  ['X-Latin', '\xe9\xff'],
  ['__proto__', ''],
] as const;

const unpackBody = (own: OwnContent): Uint8Array => unpackOwn(own).body;

describe('content in a row of 1.0', () => {
  test('any headers and any bytes come back', () => {
    const name = fc.string({ minLength: 1, maxLength: 20 });
    const value = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map(code => String.fromCharCode(code)) });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, value), { maxLength: 8 }),
        fc.uint8Array({ maxLength: 2000 }),
        (headers, body) => {
          const { encoding, content } = packContent(headers, body);
          const back = parseContent(unpackOwn({ encoding, content }));
          checkHash(back.body, sha256(body));
          expect(back.headers).toEqual(headers);
          expect(JSON.parse(back.headersJson)).toEqual(headers);
          expect(Buffer.compare(back.body, body)).toBe(0);
        },
      ),
    );
  });

  test.each([
    ['short', new TextEncoder().encode('abc'), 0],
    ['text that shrinks', new TextEncoder().encode('abc '.repeat(1000)), 1],
    ['noise that does not', crypto.getRandomValues(new Uint8Array(5000)), 0],
  ])('%s is packed only when that pays', (_name, body, encoding) => {
    const stored = packContent(pairs, body);
    expect(stored.encoding).toBe(encoding as 0);
    expect(stored.content.length <= body.length + 200).toBe(true);
    expect(Buffer.compare(unpackBody(stored), body)).toBe(0);
  });

  test('is read from a view into a larger buffer as well', () => {
    const { content } = packContent(pairs, Uint8Array.of(1, 2, 3));
    const larger = new Uint8Array(content.length + 20);
    larger.set(content, 7);
    expect([...unpackBody({ encoding: 0, content: larger.subarray(7, 7 + content.length) })]).toEqual([1, 2, 3]);
  });

  const plain = packContent(pairs, Uint8Array.of(1, 2, 3)).content;
  const packed = packContent(pairs, new Uint8Array(5000)).content;
  test.each([
    ['nothing', 0, new Uint8Array()],
    ['less than a length', 0, plain.subarray(0, 3)],
    ['headers cut short', 0, plain.subarray(0, 20)],
    ['a length beyond the end', 0, Uint8Array.of(255, 255, 255, 255, 91, 93)],
    ['plain taken for packed', 1, plain],
    ['packed taken for plain', 0, packed],
    ['packed and cut short', 1, packed.subarray(0, -4)],
  ])('damaged, %s: an error, not half an event', (_name, encoding, content) => {
    expect(() => {
      const { body } = parseContent(unpackOwn({ encoding, content }));
      checkHash(body, sha256(Uint8Array.of(1, 2, 3)));
    }).toThrow(DamagedError);
  });

  const withHeaders = (headers: string | Uint8Array): Uint8Array =>
    Buffer.concat([Uint8Array.of(0, 0, 0, headers.length), Buffer.from(headers), Uint8Array.of(1, 2, 3)]);
  test.each([
    ['a pair without a value', '[["a"]]'],
    ['a value that is none', '[["a",null]]'],
    ['a name that is none', '[[1,"a"]]'],
    ['more than a pair', '[["a","b","c"]]'],
    ['no list', '{}'],
    ['no UTF-8', Uint8Array.of(0x5b, 0x5b, 0x22, 0xff, 0x22, 0x2c, 0x22, 0x22, 0x5d, 0x5d)],
  ])('headers that are no headers any more, %s', (_name, headers) => {
    const read = (content: Uint8Array) => parseContent(unpackOwn({ encoding: 0, content })).headers;
    expect(read(withHeaders('[["a","b"]]'))).toEqual([['a', 'b']]);
    expect(() => read(withHeaders(headers))).toThrow('its headers and body cannot be read');
  });

  test('a body with another hash', () => {
    const body = unpackBody(packContent(pairs, Uint8Array.of(1, 2, 3)));
    expect(() => checkHash(body, sha256(Uint8Array.of(1, 2, 4)))).toThrow(
      'the stored body does not match its checksum',
    );
    checkHash(body, sha256(Uint8Array.of(1, 2, 3)));
  });
});
