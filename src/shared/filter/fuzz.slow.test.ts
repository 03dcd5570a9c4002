/* Whatever is typed, the parser answers with a filter or with an error inside the text, and nothing else. */
import { describe, expect, test } from 'bun:test';
import { createRandom } from '../../../scripts/lib/payloads.ts';
import { cases } from '../../testing/proofs.ts';
import { type Filter, FilterError, termsOf, textOf } from './filter.ts';
import { maxTerms, parseFilter } from './parser.ts';
import { quoted, toCharacters, tokenize } from './tokens.ts';

const random = createRandom(91);
const oneOf = <T>(all: readonly T[]): T => all[random(all.length)] as T;
const pieces = [
  ...[
    'type',
    'platform',
    'size',
    'received',
    'ip',
    'is',
    'has',
    'header.',
    'query.',
    'body.',
    'body',
    'answered',
    'foo',
  ],
  ...[':', '>', '>=', '<', '<=', '!=', '=', '-', '(', ')', '[', ']', '[]', '.', '..', '*', '/', '\\', '"', '\\"', "'"],
  ...[
    ' ',
    '  ',
    '\t',
    '\n',
    '\u00a0',
    ' OR ',
    ' AND ',
    ' NOT ',
    'OR',
    'NOT',
    'or',
    ',',
    '!',
    '?',
    '%',
    '\0',
    '\ud800',
    '😀',
    'é',
  ],
  ...[
    'a',
    'b',
    '5',
    '10k',
    '1e9',
    '5xx',
    '2h',
    '2026-11-20',
    '2026-11-20T10:00Z',
    '10.0.0.0/8',
    'invoice.*',
    'pinned',
    'true',
    'items[].sku',
    '"a b"',
  ],
];
const starts = [
  'type:invoice.* platform:stripe -(size>10k OR received>2h)',
  'body.data.object.amount>1000 has:body.refund NOT header.x-shop-domain:acme*',
  '(a OR "b c") (query.page:2 OR body.items[].sku:"A-1") is:pinned tag:golden',
];

function read(text: string): Filter | FilterError {
  try {
    return parseFilter(text);
  } catch (error) {
    if (error instanceof FilterError) return error;
    throw new Error(`not a FilterError for ${JSON.stringify(text)}`, { cause: error });
  }
}

function check(text: string): boolean {
  const result = read(text);
  const characters = toCharacters(text);
  if (result instanceof FilterError) {
    const { position, message, nearest } = result;
    if (!Number.isInteger(position) || position < 0 || position > characters.length || message === '' || nearest === '')
      throw new Error(`${JSON.stringify(text)}: ${message} at ${position}`);
    return false;
  }
  const terms = termsOf(result.root);
  expect(terms.length).toBeLessThanOrEqual(maxTerms);
  // Each term, and each part, is a filter of its own, and the parts together are the same filter.
  for (const term of terms) expect(termsOf(parseFilter(textOf(result, term)).root)).toHaveLength(1);
  const parts = result.parts.map(part => textOf(result, part));
  for (const part of parts) parseFilter(part);
  expect(termsOf(parseFilter(parts.join(' ')).root)).toHaveLength(terms.length);
  return true;
}

describe('the parser', () => {
  test('survives random bytes', () => {
    const decoder = new TextDecoder();
    for (let i = 0; i < cases(10_000); i++)
      check(decoder.decode(Uint8Array.from({ length: random(60) }, () => random(256))));
  });

  test('survives random pieces of filters', () => {
    let filters = 0;
    for (let i = 0; i < cases(20_000); i++)
      if (check(Array.from({ length: 1 + random(14) }, () => oneOf(pieces)).join(''))) filters++;
    expect(filters).toBeGreaterThan(cases(500));
  });

  test('survives changes to filters', () => {
    let filters = 0;
    for (let i = 0; i < cases(20_000); i++) {
      const characters = toCharacters(oneOf(starts));
      for (let n = 0; n <= random(4); n++)
        characters.splice(random(characters.length + 1), random(3), oneOf(['', oneOf(pieces)]));
      if (check(characters.join(''))) filters++;
    }
    expect(filters).toBeGreaterThan(cases(2500));
  });

  test('survives texts of 2 KiB and more of one piece', () => {
    for (const piece of pieces)
      for (const length of [50, 2048, 2049, 100_000]) {
        const text = piece.repeat(Math.ceil(length / piece.length));
        check(text);
        check(`type:${text}`);
        check(`"${text}"`);
        check(`has:body.${text}`);
      }
  });

  test('reads what quoted() writes', () => {
    for (let i = 0; i < cases(5000); i++) {
      const text = Array.from({ length: 1 + random(6) }, () => oneOf(pieces))
        .join('')
        .toWellFormed();
      expect(parseFilter(quoted(text)).root).toMatchObject({ on: 'text', text });
      expect(parseFilter(`body.${quoted(text)}:${quoted(text)}`).root).toMatchObject({
        path: [{ key: text }],
        value: { text, isQuoted: true },
      });
    }
  });
});

test('tokens cover all that is not white space', () => {
  for (let i = 0; i < cases(5000); i++) {
    const characters = toCharacters(Array.from({ length: random(12) }, () => oneOf(pieces)).join(''));
    let end = 0;
    for (const token of tokenize(characters)) {
      expect(characters.slice(end, token.start).join('').trim()).toBe('');
      expect(token.end).toBeGreaterThan(token.start);
      end = token.end;
    }
    expect(characters.slice(end).join('').trim()).toBe('');
  }
});
