import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFieldLines } from '../../core/headers.ts';
import { exchange } from '../../testing/raw-http.ts';
import { type RequestHead, readRequestHead } from './request-head.ts';

const read = (text: string): RequestHead | 'unsupported' => readRequestHead(Buffer.from(text, 'latin1'));
const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n\r\n`;
const post = (...fields: string[]): string => lines('POST /in/t HTTP/1.1', 'Host: x', ...fields);

describe('a supported head', () => {
  test('is parsed into offsets', () => {
    const fields = 'hOsT:x\r\nX-Empty:\r\nContent-Length: \t3 ';
    const text = `PUT /in/t/a//../b%zz?q="<>& HTTP/1.1\r\n${fields}\r\n\r\nabcPOST`;
    const head = read(text);
    if (head === 'unsupported') throw new Error('not read');
    expect(head).toMatchObject({ method: 'PUT', target: '/in/t/a//../b%zz?q="<>&', bodyBytes: 3, keepAlive: true });
    expect(readFieldLines(Buffer.from(text, 'latin1').subarray(head.fieldsFrom, head.fieldsTo))).toEqual([
      ['hOsT', 'x'],
      ['X-Empty', ''],
      ['Content-Length', '3'],
    ]);
    expect(text.slice(head.bodyFrom, head.bodyFrom + head.bodyBytes)).toBe('abc');
  });

  test.each(['POST', 'PUT', 'PATCH', 'GET', 'DELETE'])('%s, without a body when none is announced', method =>
    expect(read(lines(`${method} /in/t HTTP/1.1`, 'Host: x'))).toMatchObject({ method, bodyBytes: 0 }),
  );

  test.each([
    ['Connection: keep-alive', true],
    ['connection:\tKeep-Alive ', true],
    ['Connection: close', false],
    ['CONNECTION: CLOSE', false],
    ['Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c', true],
    ['Connection: TE,\tclose', false],
  ])('%s', (field, keepAlive) => expect(read(post(field))).toMatchObject({ keepAlive }));

  test.each([
    ['X-Forwarded-For:  1.2.3.4 ', '1.2.3.4'],
    ['X-Forwarded-For: a\r\nx-forwarded-for: b, c', 'a,b, c'],
    ['X-Forwarded-Foo: a', undefined],
  ])('%j', (fields, forwardedFor) => expect(read(post(fields))).toMatchObject({ forwardedFor }));

  test('may have every byte in a value that RFC 9112 allows', () => {
    const value = String.fromCharCode(
      9,
      ...Array.from({ length: 256 }, (_, i) => i).filter(i => i > 0x20 && i !== 0x7f),
    );
    const text = post(`X-V: ${value.slice(1)}`);
    const head = read(text);
    if (head === 'unsupported') throw new Error('not read');
    const pairs = readFieldLines(Buffer.from(text, 'latin1').subarray(head.fieldsFrom, head.fieldsTo));
    expect(pairs[1]).toEqual(['X-V', value.slice(1)]);
  });

  test('may have 100 fields', () => expect(read(post(...new Array(99).fill('a: b')))).not.toBe('unsupported'));
});

describe('an unsupported head', () => {
  test.each([
    ['nothing', ''],
    ['half a method', 'POS'],
    ['half a target', 'POST /in/'],
    ['half a field', 'POST /in/t HTTP/1.1\r\nHost: x'],
    ['no empty line', 'POST /in/t HTTP/1.1\r\nHost: x\r\n'],
    ['half an empty line', 'POST /in/t HTTP/1.1\r\nHost: x\r\n\r'],
    ['another method', lines('PURGE /in/t HTTP/1.1', 'Host: x')],
    ['HEAD', lines('HEAD /in/t HTTP/1.1', 'Host: x')],
    ['a method in lower case', lines('post /in/t HTTP/1.1', 'Host: x')],
    ['a blank before the method', ` ${post()}`],
    ['an empty line before the method', `\r\n${post()}`],
    ['another path', lines('GET /api/me HTTP/1.1', 'Host: x')],
    ['what only begins like the prefix', lines('GET /inside HTTP/1.1', 'Host: x')],
    ['the prefix alone', lines('GET /in HTTP/1.1', 'Host: x')],
    ['the absolute form', lines('GET http://x/in/t HTTP/1.1', 'Host: x')],
    ['a blank in the target', lines('GET /in/t x HTTP/1.1', 'Host: x')],
    ['a byte over ASCII in the target', lines('GET /in/\xe9 HTTP/1.1', 'Host: x')],
    ['a control character in the target', lines('GET /in/\x01 HTTP/1.1', 'Host: x')],
    ['a fragment', lines('GET /in/t#x HTTP/1.1', 'Host: x')],
    ['a target of 9 KB', lines(`GET /in/${'t'.repeat(9000)} HTTP/1.1`, 'Host: x')],
    ['HTTP/1.0', lines('POST /in/t HTTP/1.0', 'Host: x')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['no version', lines('POST /in/t', 'Host: x')],
    ['bare line feeds', 'POST /in/t HTTP/1.1\nHost: x\n\n'],
    ['no host', lines('POST /in/t HTTP/1.1', 'A: b')],
    ['two hosts', post('host: y')],
    ['a chunked body', post('Transfer-Encoding: chunked')],
    ['a coding and a length', post('Content-Length: 3', 'transfer-encoding: identity')],
    ['Expect', post('Expect: 100-continue', 'Content-Length: 3')],
    ['Proxy-Connection', post('Proxy-Connection: keep-alive')],
    ['another connection option', post('Connection: keep-alive, x')],
    ['two connection fields', post('Connection: close', 'Connection: close')],
    ['a connection option after a byte that only looks blank', post('Connection: close\xa0')],
    ['two lengths', post('Content-Length: 3', 'Content-Length: 3')],
    ['a list of lengths', post('Content-Length: 3, 3')],
    ['no length', post('Content-Length:')],
    ['a sign', post('Content-Length: +3')],
    ['a fraction', post('Content-Length: 3.0')],
    ['an exponent', post('Content-Length: 3e1')],
    ['hexadecimal', post('Content-Length: 0x3')],
    ['too many digits', post('Content-Length: 00000003')],
    ['a blank before the colon', post('Content-Length : 3')],
    ['a blank before the name', post(' Content-Length: 3')],
    ['a folded value', post('A: b\r\n c')],
    ['a line without a colon', post('A')],
    ['an empty name', post(': b')],
    ['a name that is no token', post('A(b): c')],
    ['a bare carriage return in a value', post('A: b\rc')],
    ['a bare line feed in a value', post('A: b\nContent-Length: 3')],
    ['NUL in a value', post('A: b\0c')],
    ['DEL in a value', post('A: b\x7fc')],
    ['an empty connection option', post('Connection: close,')],
    ['a head of more than 64 KB', post(`A: ${'b'.repeat(64 << 10)}`)],
    ['101 fields', post(...new Array(100).fill('a: b'))],
  ])('%s', (_name, text) => expect(read(text)).toBe('unsupported'));
});

describe('beside node:http', () => {
  type Seen = { method: string; url: string; rawHeaders: string[]; body: string };
  const all: Seen[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const { method = '', url = '', rawHeaders } = req;
    all.push({ method, url, rawHeaders, body: Buffer.concat(chunks).toString('latin1') });
    res.setHeader('connection', 'close').end();
  });
  let origin = '';
  beforeAll(async () => {
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  /** The same numbers for each run. */
  const numbers = (seed: number) => (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const whole = post('Content-Type: text/plain', 'X-A:  b c ', 'Connection: keep-alive', 'Content-Length: 5');
  const odd = [
    '\r',
    '\n',
    '\r\n',
    ' ',
    '\t',
    ':',
    '\0',
    '\x7f',
    '\xe9',
    '0',
    '-',
    'Host: y\r\n',
    'Content-Length: 1\r\n',
    ',',
  ];

  test('a damaged request that is supported means the same to node:http', async () => {
    const next = numbers(7);
    let taken = 0;
    for (let i = 0; i < 3000; i++) {
      let text = whole;
      for (let n = next(3); n >= 0; n--) {
        const at = next(text.length);
        const put = next(3) === 0 ? '' : (odd[next(odd.length)] ?? '');
        text = text.slice(0, at) + put + text.slice(at + next(2));
      }
      text += 'hello';
      const head = read(text);
      if (head === 'unsupported') continue;
      taken++;
      await exchange(origin, Buffer.from(text, 'latin1'));
      const fields = readFieldLines(Buffer.from(text, 'latin1').subarray(head.fieldsFrom, head.fieldsTo));
      const mine: Seen = {
        method: head.method,
        url: head.target,
        rawHeaders: fields.flat(),
        body: text.slice(head.bodyFrom, head.bodyFrom + head.bodyBytes),
      };
      expect({ text, seen: all.pop() }).toEqual({ text, seen: mine });
    }
    expect(taken).toBeGreaterThan(300);
  });
});
