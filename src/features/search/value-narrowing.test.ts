/* The filter of values leaves every block with an event that a filter or `q` matches, and excludes nearly all others. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type BlockSignature, signBlock } from '../../core/blocks/block-signature.ts';
import { hasProbe, isFact, isValueProbe, type Narrowing } from '../../core/blocks/narrowing.ts';
import { createMatcher } from '../../core/blocks/search-text.ts';
import { evaluate } from '../../core/filter/evaluate.ts';
import { createEventContent } from '../../core/filter/event-content.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { matchesNow } from '../../testing/search-oracle.ts';
import { planOf } from './plan.ts';
import { narrowingOfText } from './text-narrowing.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const sign = (body: string, type = 'application/json', eventType: string | null = null): BlockSignature =>
  signBlock([
    {
      receivedAt: 1,
      eventType,
      platform: null,
      method: 'POST',
      path: '',
      body: bytes(body),
      headersJson: JSON.stringify([['Content-Type', type]]),
    },
  ]);

/** @param only whether only the filter of values decides */
const meets = (signature: BlockSignature, narrowing: Narrowing, only = false): boolean =>
  narrowing.every(item => {
    if ('any' in item) return item.any.some(one => meets(signature, one, only));
    return (only && !isFact(item) && !isValueProbe(item)) || hasProbe(signature, item);
  });

const narrowingOf = (where: string): Narrowing => planOf(parseFilter(where), 0).narrowing;

const matches = (where: string, body: string, type: string): boolean => {
  const headers: HeaderPair[] = [['Content-Type', type]];
  const content = createEventContent({ headers, query: null, body: bytes(body) });
  return evaluate(parseFilter(where), { content }, 0) === true;
};

/** Ways to write the same text in JSON. */
const escaped = (text: string, every: number): string =>
  `"${[...text]
    .map((character, i) =>
      i % every === 0 && character.length === 1
        ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
        : JSON.stringify(character).slice(1, -1),
    )
    .join('')}"`;

const numbers = [
  ['1234567', '1234567', '1234567.0', '12.34567E5', '0.1234567e+7', '12345670e-1'],
  ['-98765', '-98765', '-98765.00', '-9.8765e4'],
  ['1e30', '1e30', '1000000000000000000000000000000', '0.001E33'],
  ['1234.5', '1234.5', '1234.50', '12345e-1'],
  ['12000', '12000', '1.2e4', '12e3'],
  ['10000', '1e4', '1E4', '10000.0'],
  ['-0.05', '-0.05', '-5e-2', '-0.0500'],
  ['1.5', '1.5', '15e-1', '1.50', `1.5${'0'.repeat(70_000)}`],
  ['123456789012345678901234567890.5', '1234567890123456789012345678905e-1'],
  ['1e-400', '0.1e-399'],
  ['1e999999999', '10E999999998'],
] as const;

describe('narrowing by whole values', () => {
  const texts = fc.oneof(
    fc.constantFrom(
      '4712345',
      '0004712345',
      'ada@example.com',
      'a"b\\c/',
      'größe 12345',
      '日本12345',
      'true',
      'abc',
      '\ufffdabcd',
      '12345.50',
    ),
    fc.string({ minLength: 1, maxLength: 40 }),
    fc.stringMatching(/^\d{4,12}$/),
  );

  test('never excludes a block with a text, however it is written', () => {
    let found = 0;
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), fc.constantFrom('x', 'x2', 'é'), (text, every, key) => {
        fc.pre(text.isWellFormed());
        const where = `body.${key}:${JSON.stringify(text)}`;
        const part = `--b\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${text}\r\n--b--\r\n`;
        for (const [body, type] of [
          [`{"other":1,"${key}":${JSON.stringify(text)}}`, 'application/json'],
          [`[{"${key}" : ${escaped(text, every)} , "b":[12345]}]`, 'text/plain'],
          [`{ "${key}"\n:\t${escaped(text, every)}}`, 'application/x-www-form-urlencoded'],
          [new URLSearchParams({ a: '1', [key]: text }).toString(), 'application/x-www-form-urlencoded'],
          [`{}=&${key}=${encodeURIComponent(text)}&=`, 'Application/X-WWW-Form-URLEncoded; charset=utf-8'],
          [part, 'multipart/form-data; boundary=b'],
          [`{"${part}`, 'Multipart/Mixed; boundary="b"'],
        ] as const) {
          const list = body.startsWith('[') ? where.replace(`body.${key}`, `body[].${key}`) : where;
          if (!matches(list, body, type)) continue;
          found++;
          expect({ list, body, may: meets(sign(body, type), narrowingOf(list)) }).toEqual({ list, body, may: true });
        }
      }),
      { numRuns: 1500 },
    );
    expect(found).toBeGreaterThan(5000);
  });

  test('never excludes a block with an equal number, whichever way both are written', () => {
    for (const spellings of numbers)
      for (const wanted of spellings.filter(one => one.length < 100))
        for (const written of spellings)
          for (const body of [`{"n":${written}}`, `{"n":[${written} ,1]}`, `{"n":${written}\n}`]) {
            const where = `${body.includes('[') ? 'body.n[]' : 'body.n'}:${wanted}`;
            expect(matches(where, body, 'application/json')).toBe(true);
            expect({ where, body, may: meets(sign(body), narrowingOf(where)) }).toEqual({ where, body, may: true });
          }
  });

  test('never excludes a block with digits that a text search finds, in a body or a type', () => {
    let found = 0;
    const digits = fc.oneof(fc.stringMatching(/^\d{5,10}$/), fc.stringMatching(/^0{5,8}\d?$/));
    const around = fc.constantFrom('', 'a', '-', '9', '\\u0031', '\\', '"', '\\n', 'é', '%31');
    fc.assert(
      fc.property(digits, around, around, fc.nat(5), (text, before, after, from) => {
        const written = `${before}${text}${after}`;
        const q = `${before === '\\u0031' ? '1' : ''}${text}`.slice(from % 2);
        for (const [body, type] of [
          [`{"a":"${written}"}`, null],
          [`{"${written}":${text}}`, null],
          [`[${written}`, null],
          [`x ${written}`, null],
          ['', `order.${text}`],
        ] as const) {
          if (!matchesNow(createMatcher(q), type, bytes(body))) continue;
          found++;
          expect({ q, body, may: meets(sign(body, 'text/plain', type), narrowingOfText(q)) }).toEqual({
            q,
            body,
            may: true,
          });
        }
      }),
      { numRuns: 1500 },
    );
    expect(found).toBeGreaterThan(4000);
  });

  test('excludes nearly all blocks without the value or the digits', () => {
    const blocks = Array.from({ length: 300 }, (_, i) =>
      sign(JSON.stringify(Array.from({ length: 800 }, (_, at) => ({ id: 1e6 + i * 800 + at, code: `c${i}x${at}` })))),
    );
    const share = (narrowing: Narrowing): number => blocks.filter(one => meets(one, narrowing, true)).length / 300;
    expect(share(narrowingOf('body.id:9712345'))).toBeLessThan(0.02);
    expect(share(narrowingOf('body.code:c1x900'))).toBeLessThan(0.1);
    expect(share(narrowingOfText('9712345'))).toBeLessThan(0.06);
    expect(share(narrowingOf('body[].id:1000005'))).toBeGreaterThan(0);
  });

  test('is not used for parts of values, short values, words and other fields', () => {
    const hasValue = (narrowing: Narrowing): boolean =>
      narrowing.some(item => ('any' in item ? item.any.some(hasValue) : isValueProbe(item)));
    for (const where of [
      'body.a:long*value',
      'body.a:abc',
      'body.a:true',
      'header.a:"4712345"',
      'body.a>4712345',
      'body.a:1e2',
    ])
      expect([where, hasValue(narrowingOf(where))]).toEqual([where, false]);
    expect(hasValue(narrowingOf('body.a:"long*value"'))).toBe(true);
  });
});
