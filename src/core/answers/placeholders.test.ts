import { describe, expect, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import { readTemplate } from '../../shared/placeholders.ts';
import { parseExactJson } from '../json/exact.ts';
import { maxRenderedBytes } from './limits.ts';
import { type Escaping, escapingFor, maxBytesOf, type RenderedEvent, render } from './placeholders.ts';

const event: RenderedEvent = {
  type: 'order.created',
  platform: 'shopify',
  verdict: () => 'valid',
  receivedAt: Date.UTC(2026, 10, 21),
  headers: [
    ['X-Name', 'Ada'],
    ['X-Utf8', Buffer.from('é').toString('latin1')],
    ['x-raw', '\xe9'],
  ],
  query: 'a=1&b=%7B%7Bid%7D%7D+x&a=2',
  body: Buffer.from(
    '{"a":{"b":"x\\"y"},"n":12345678901234567890,"list":[{"k":true}],"null":null,"__proto__":{"p":1},"ph":"{{id}}"}',
  ),
};
const fill = (
  text: string,
  { given = {}, escaping = 'none' }: { given?: Partial<RenderedEvent>; escaping?: Escaping } = {},
): string => rendered(text, { given, escaping }).body.toString();
const rendered = (
  text: string,
  { given = {}, ...more }: { given?: Partial<RenderedEvent>; escaping: Escaping; maxBytes?: number },
) =>
  render(
    readTemplate(text, 'team'),
    { ...event, ...given },
    {
      id: 'evt_1',
      at: Date.UTC(2026, 10, 22),
      endpoint: 'the "shop"',
      link: 'https://tape.example.com/e',
      ...more,
    },
  );

describe('placeholders', () => {
  test.each([
    ['{{id}} {{now}}', 'evt_1 2026-11-22T00:00:00.000Z'],
    ['{{ header.x-name }}{{header.X-UTF8}}{{header.x-raw}}', 'Adaéé'],
    ['{{query.a}} {{query.b}} {{query.c}}|', '1 {{id}} x |'],
    [
      '{{body.a.b}} {{body.n}} {{body.list.0.k}} {{body.null}} {{body.a}}',
      'x"y 12345678901234567890 true null {"b":"x\\"y"}',
    ],
    ['{{body.ph}}', '{{id}}'],
    ['[{{body.none}}{{body.a.b.c}}{{body.list.5}}{{body.constructor}}{{body.a.toString}}]', '[]'],
    ['{{body.__proto__.p}}', '1'],
    ['{{type}} {{platform}} {{verdict}} {{receivedAt}}', 'order.created shopify valid 2026-11-21T00:00:00.000Z'],
    ['{{endpoint}} {{link}}', 'the "shop" https://tape.example.com/e'],
    [
      '{{json body.n}} {{json body.a.b}} {{ json  body.a }} {{json body.x}}',
      '12345678901234567890 "x\\"y" {"b":"x\\"y"} null',
    ],
    [
      '{{truncate 3 type}} {{truncate 13 type}} {{truncate 1 body.a}} {{truncate 2 body.none}}|',
      'or… order.created … |',
    ],
    ['{{unknown}} {{body}} {{header.}} {{{id}}} {{ id', '{{unknown}} {{body}} {{header.}} {evt_1} {{ id'],
    [
      '{{json id}} {{json raw}} {{truncate 0 raw}} {{truncate raw}} {{JSON body}}',
      '{{json id}} {{json raw}} {{truncate 0 raw}} {{truncate raw}} {{JSON body}}',
    ],
  ])('%s', (text, expected) => {
    expect(fill(text)).toBe(expected);
  });

  test('values are escaped inside JSON', () => {
    const text = '{"x":"{{body.a.b}}","q":"{{query.b}}","all":"{{body.a}}"}';
    expect(JSON.parse(fill(text, { escaping: 'json' }))).toEqual({ x: 'x"y', q: '{{id}} x', all: '{"b":"x\\"y"}' });
  });

  test('a form has fields; other bodies and large ones have none', () => {
    const form = {
      headers: [['content-type', 'application/x-www-form-urlencoded; charset=utf-8']] as const,
      query: null,
      body: Buffer.from('a.b=1+2&c=%C3%A9'),
    };
    expect(fill('{{body.a.b}}{{body.c}}', { given: form })).toBe('1 2é');
    expect(fill('[{{body.a}}]', { given: { ...form, headers: [] } })).toBe('[]');
    expect(fill('[{{body.a}}]', { given: { ...event, body: new Uint8Array([0xff]) } })).toBe('[]');
    const large = Buffer.from(JSON.stringify({ a: 'x', b: 'y'.repeat(1 << 20) }));
    expect(fill('[{{body.a}}]', { given: { ...event, body: large } })).toBe('[]');
  });

  test.each([
    ['{{id}}{{now}}é'],
    ['{{header.a}}{{header.b}}{{header.b}}'],
    ['{{query.a}}{{query.b}}'],
    ['{{body.text}}{{raw}}{{json body.deep}}{{json body}}{{truncate 2 raw}}'],
    ['{{type}}{{platform}}{{verdict}}{{receivedAt}}{{json body.none}}'],
    ['{{body.deep}}{{body.numbers}}'],
  ])('%s takes at most what was reckoned from the sizes', text => {
    const given: Partial<RenderedEvent> & { body: Buffer } = {
      headers: [
        ['a', '\xe9'.repeat(100)],
        ['b', '\x01'.repeat(100)],
      ],
      query: `a=${'%01'.repeat(100)}&b=${'\xe9'.repeat(100)}`,
      body: Buffer.from(
        JSON.stringify({ text: '\u0000"\\\ud800'.repeat(100), deep: { a: ['"\u0001'.repeat(100)] } }).replace(
          '{',
          `{"numbers":[${Array(100).fill('1e20').join()}],`,
        ),
      ),
    };
    for (const escaping of ['none', 'json'] as const)
      expect(Buffer.byteLength(fill(text, { given, escaping }))).toBeLessThanOrEqual(
        maxBytesOf(readTemplate(text, 'strangers'), { ...event, ...given }),
      );
    expect(maxBytesOf(readTemplate(text.repeat(1000), 'strangers'), { ...event, ...given })).toBeLessThanOrEqual(
      maxRenderedBytes,
    );
  });

  test('the answer stays below its limit: values that do not fit are empty', () => {
    const given = { ...event, body: Buffer.from(JSON.stringify({ a: 'é'.repeat(100_000) })) };
    const text = '{{body.a}}'.repeat(1000);
    expect(Buffer.byteLength(fill(text, { given }))).toBe(200_000);
    expect(Buffer.byteLength(fill(text, { given }))).toBeLessThanOrEqual(maxRenderedBytes);
  });

  test('a part of the event is read once, however many placeholders there are', () => {
    const { URLSearchParams } = globalThis;
    let parsed = 0;
    globalThis.URLSearchParams = class extends URLSearchParams {
      constructor(text: string) {
        super(text);
        parsed++;
      }
    } as typeof URLSearchParams;
    const written = spyOn(JSON, 'stringify');
    try {
      expect(fill('{{query.a}}{{body.list}}'.repeat(1000), { escaping: 'json' })).toHaveLength(15_000);
      expect(parsed).toBe(1);
      // The value, and then each text as it is inside JSON.
      expect(written.mock.calls.length).toBeLessThanOrEqual(3);
      const form = { headers: [['content-type', 'application/x-www-form-urlencoded']], query: null } as const;
      const names = Array.from({ length: 1000 }, (_, i) => `{{body.${i}}}`).join('');
      expect(fill(names, { given: { ...form, body: Buffer.from('7=x&8=y') } })).toBe('xy');
      expect(parsed).toBe(2);
    } finally {
      globalThis.URLSearchParams = URLSearchParams;
      written.mockRestore();
    }
  });

  test('values that contain each other are written up to a limit', () => {
    const depth = 200;
    const body = Buffer.from(`${'{"a":'.repeat(depth)}"${'x'.repeat(900_000)}"${'}'.repeat(depth)}`);
    const paths = Array.from(
      { length: depth },
      (_, i) =>
        `{{body.${Array(i + 1)
          .fill('a')
          .join('.')}}}`,
    );
    const written = spyOn(JSON, 'stringify');
    try {
      expect(fill(paths.join(''), { given: { headers: [], query: null, body } })).toBe('');
      expect(written.mock.calls.length).toBeLessThan(10);
    } finally {
      written.mockRestore();
    }
  });

  test('cutting a value in many places takes no time for those that do not fit', () => {
    const limits = Array.from({ length: 3000 }, (_, n) => 200_000 - n);
    const text = limits.map(limit => `{{truncate ${limit} raw}}`).join('');
    const written = spyOn(JSON, 'stringify');
    try {
      for (const one of ['x', '\u0001', '\u{1f600}'])
        fill(text, { given: { body: Buffer.from(one.repeat(250_000)) }, escaping: 'json' });
      expect(written.mock.calls.length).toBeLessThan(100);
    } finally {
      written.mockRestore();
    }
  });

  test('the whole body is JSON: as it came, as text, or null when it is too large', () => {
    expect(fill('{{json body}}')).toBe(JSON.stringify(parseExactJson(event.body.toString())));
    const of = (body: Buffer | string, type = 'text/plain', maxBytes = 2 << 20): unknown =>
      JSON.parse(
        rendered('{{json body}}', {
          given: { headers: [['content-type', type]], body: Buffer.from(body) },
          escaping: 'json',
          maxBytes,
        }).body.toString(),
      );
    expect(of('<a>"1"</a>')).toBe('<a>"1"</a>');
    expect(of(Buffer.from([0xff, 0x00]))).toBe('\ufffd\0');
    expect(of('')).toBe('');
    expect(of('a=1&a=2&__proto__=3', 'application/x-www-form-urlencoded')).toEqual(
      JSON.parse('{"a":"1","__proto__":"3"}'),
    );
    expect(of(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toBeString();
    for (const large of [JSON.stringify('x'.repeat(1 << 20)), Buffer.alloc(400 << 10, 0xff)])
      expect(of(large)).toBeNull();
  });

  test('a form escapes every value, and other types none', () => {
    const given = { body: Buffer.from('{"a":"1&b=2 \\ud800é","c":{"d":1}}') };
    const text = 'a={{body.a}}&c={{json body.c}}&t={{receivedAt}}';
    const sent = fill(text, { given, escaping: 'form' });
    expect(Object.fromEntries(new URLSearchParams(sent))).toEqual({
      a: '1&b=2 \ufffdé',
      c: '{"d":1}',
      t: '2026-11-21T00:00:00.000Z',
    });
    expect(fill('<a>{{body.a}}</a>', { given: { body: Buffer.from('{"a":"&<%\\""}') } })).toBe('<a>&<%"</a>');
  });

  test.each([
    ['application/json', 'json'],
    [' Application/JSON ; charset=utf-8', 'json'],
    ['application/cloudevents+json', 'json'],
    ['application/x-www-form-urlencoded;charset=utf-8', 'form'],
    ['application/jsonl', 'none'],
    ['text/plain', 'none'],
    ['', 'none'],
  ])('values in %s are escaped as %s', (type, escaping) => expect(escapingFor(type)).toBe(escaping as Escaping));

  test('hostile content of every placeholder stays inside its place in JSON', () => {
    const character = fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code));
    const hostile = fc.oneof(
      fc.string({ unit: character, maxLength: 40 }),
      fc.string({
        unit: fc.constantFrom('"', '\\', '{{id}}', '\n', '\0', '\ud800', '\udfff', '\u2028', '},"x":{', '*/'),
      }),
    );
    const names = fc.constantFrom('a', '__proto__', 'constructor', '0');
    const payload = fc.oneof(
      fc
        .tuple(names, hostile, fc.jsonValue())
        .map(([name, text, value]) => JSON.stringify({ [name]: text, a: { [text]: value } })),
      fc.jsonValue().map(value => JSON.stringify(value)),
      hostile,
      fc.constantFrom('1e400', '-0', '\ufeff{"a":1}', `${'['.repeat(50_000)}1${']'.repeat(50_000)}`, '{"a":"\\ud800"}'),
    );
    const bodies = fc.oneof(
      payload.map(text => Buffer.from(text)),
      fc.uint8Array().map(bytes => Buffer.from(bytes)),
    );
    const latin1 = hostile.map(text => Buffer.from(text).toString('latin1'));
    const form = fc.constantFrom('application/x-www-form-urlencoded', 'application/json');
    const texts = [
      'id',
      'now',
      'type',
      'platform',
      'verdict',
      'receivedAt',
      'raw',
      'endpoint',
      'link',
      'header.x',
      'query.a',
      'body.a',
      'body.0',
      'truncate 3 raw',
      'truncate 1 body.a',
    ];
    const values = ['body', 'body.a', 'body.__proto__', 'body.0', 'body.length'];
    const template = `{${[...texts.map(one => `"${one}":"{{${one}}}"`), ...values.map(one => `"json ${one}":{{json ${one}}}`)].join(',')}}`;
    fc.assert(
      fc.property(bodies, latin1, hostile, form, (body, value, text, contentType) => {
        const headers = [
          ['content-type', contentType],
          ['X', value],
        ] as const;
        const given = { type: text, platform: text, headers, query: `a=${value}`, body };
        const { body: sent, isWhole } = rendered(template, { given, escaping: 'json', maxBytes: 1 << 20 });
        const parsed = JSON.parse(sent.toString()) as Record<string, unknown>;
        expect(isWhole).toBeTrue();
        expect(Object.keys(parsed)).toEqual([...texts, ...values.map(one => `json ${one}`)]);
        for (const one of texts) expect(parsed[one]).toBeString();
        expect(parsed['type']).toBe(text);
      }),
      { numRuns: 150 },
    );
  });
});
