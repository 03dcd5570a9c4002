import { describe, expect, test } from 'bun:test';
import { type Explanation, explain, safeUrl } from './explain.ts';

const text = (value: string, key = ''): Explanation | undefined => explain(value, { key, isNumber: false });
const number = (value: string, key = ''): Explanation | undefined => explain(value, { key, isNumber: true });
const base64 = (value: string): string => Buffer.from(value).toString('base64');
const url64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('links', () => {
  test.each([
    ['https://api.example.com/v1/charges?expand[]=customer', 'https://api.example.com/v1/charges?expand[]=customer'],
    ['HTTP://Example.com', 'http://example.com/'],
  ])('%s', (value, url) => expect(text(value)).toEqual({ kind: 'link', url }));

  test.each([
    'javascript:alert(document.domain)',
    'JaVaScRiPt://example.com/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'https://',
    'https://a b.c/',
    'https://example.com/\u202egpj.exe',
    'https://example.com/\n',
    ' https://example.com/',
    'see https://example.com/',
    'ftp://example.com/x',
    'vbscript:msgbox(1)',
    '//example.com/x/y',
  ])('%j is not one', value => {
    expect(safeUrl(value)).toBeUndefined();
    expect(text(value)?.kind).not.toBe('link');
  });
});

describe('times', () => {
  const at = Date.UTC(2026, 10, 20, 10, 30);
  test.each([
    [number('1795170600', 'created'), 's', at],
    [number('1795170600'), 's', at],
    [number('1795170600.250', 'ts'), 's', at + 250],
    [number('1795170600000', 'receivedAt'), 'ms', at],
    [text('1795170600', 'X-Request-Timestamp'), 's', at],
    [text('2026-11-20T10:30:00Z'), 'text', at],
    [text('2026-11-20T11:30:00.5+01:00'), 'text', at + 500],
    [text('2026-11-20 10:30:00Z'), 'text', at],
  ])('%j', (found, unit, expected) => expect(found).toEqual({ kind: 'time', at: expected, unit: unit as 's' }));

  test.each([
    number('1795170600', 'id'),
    number('1795170600', 'order_id'),
    number('1795170600', 'customerId'),
    number('1795170600', 'amount'),
    number('4102444800'),
    number('179517060'),
    number('820982911946154508', 'created'),
    text('1795170600', 'reference'),
    text('2026-11-20', 'date'),
    text('2026-13-40T99:00:00Z'),
  ])('%#: other numbers and texts are not times', found => expect(found).toBeUndefined());
});

describe('base64', () => {
  test('text is decoded, also as base64url and without padding', () => {
    expect(text(base64('{"order":"A-1","n":1}'))).toMatchObject({ kind: 'base64', text: '{"order":"A-1","n":1}' });
    expect(text(Buffer.from('subjects?>>over~~there').toString('base64url'))).toMatchObject({
      text: 'subjects?>>over~~there',
    });
    expect(text(`data:text/plain;base64,${base64('Grüße aus Köln, wie gehts')}`)).toMatchObject({
      text: 'Grüße aus Köln, wie gehts',
    });
  });

  test('files are named by their bytes', () => {
    const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(20, 200)]);
    expect(text(png.toString('base64'))).toMatchObject({ kind: 'base64', text: undefined, type: 'image/png' });
    expect(text(base64('%PDF-1.7\n%\u0080\u0081 and so on'))).toBeDefined();
  });

  test.each([
    '186853002aabbccddeeff00112233445566778899',
    'a10867b14bb761a232cd80139fbd4c0d33264240',
    '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    'organizations_url',
    'payment_intent.succeeded',
    'MissingSignatureHeader',
    'evt_1Q0xZ8sJabcdefghijk',
    'Internationalization',
    'sk_live_1234567890abcdefghijklmn',
  ])('%s is a name, an id or a digest', value => expect(text(value)).toBeUndefined());
});

describe('JSON Web Tokens', () => {
  const claims = { iss: 'https://login.example', sub: 'ada', iat: 1795170600, exp: 1795174200 };
  const token = `${url64({ alg: 'RS256', kid: '1' })}.${url64(claims)}.c2lnbmF0dXJl`;

  test.each([token, `Bearer ${token}`])('header, claims and times', value =>
    expect(text(value)).toEqual({
      kind: 'jwt',
      header: '{"alg":"RS256","kid":"1"}',
      claims: JSON.stringify(claims),
      times: [
        { name: 'iat', at: 1795170600000 },
        { name: 'exp', at: 1795174200000 },
      ],
    }),
  );

  test.each([`${url64({ typ: 'JWT' })}.${url64(claims)}.x`, `${url64([1])}.${url64(claims)}.x`, 'eyJhbGci.eyJ.x'])(
    '%s is not one',
    value => expect(text(value)?.kind).not.toBe('jwt'),
  );
});
