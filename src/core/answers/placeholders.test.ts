import { describe, expect, spyOn, test } from 'bun:test';
import { maxRenderedBytes } from './limits.ts';
import { maxBytesOf, type RenderedEvent, readTemplate, render } from './placeholders.ts';

const event: RenderedEvent = {
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
const fill = (text: string, { given = event, isJson = false } = {}): string =>
  render(readTemplate(text), given, { id: 'evt_1', at: Date.UTC(2026, 10, 22), isJson }).toString();

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
    ['{{unknown}} {{body}} {{header.}} {{{id}}} {{ id', '{{unknown}} {{body}} {{header.}} {evt_1} {{ id'],
  ])('%s', (text, expected) => {
    expect(fill(text)).toBe(expected);
  });

  test('values are escaped inside JSON', () => {
    const text = '{"x":"{{body.a.b}}","q":"{{query.b}}","all":"{{body.a}}"}';
    expect(JSON.parse(fill(text, { isJson: true }))).toEqual({ x: 'x"y', q: '{{id}} x', all: '{"b":"x\\"y"}' });
  });

  test('a form has fields; other bodies and large ones have none', () => {
    const form: RenderedEvent = {
      headers: [['content-type', 'application/x-www-form-urlencoded; charset=utf-8']],
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
    ['{{body.text}}'],
    ['{{body.deep}}{{body.numbers}}'],
  ])('%s takes at most what was reckoned from the sizes', text => {
    const given: RenderedEvent = {
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
    for (const isJson of [false, true])
      expect(Buffer.byteLength(fill(text, { given, isJson }))).toBeLessThanOrEqual(
        maxBytesOf(readTemplate(text), given),
      );
    expect(maxBytesOf(readTemplate(text.repeat(1000)), given)).toBeLessThanOrEqual(maxRenderedBytes);
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
      expect(fill('{{query.a}}{{body.list}}'.repeat(1000), { isJson: true })).toHaveLength(15_000);
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
});
