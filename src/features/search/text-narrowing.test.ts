/* Signatures leave every block that a search finds something in, and exclude most of the others. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type BlockSignature, gramsOf, signBlock } from '../../core/blocks/block-signature.ts';
import { hasProbe, isFact, type Narrowing } from '../../core/blocks/narrowing.ts';
import { createMatcher } from '../../core/blocks/search-text.ts';
import { matchesNow } from '../../testing/search-oracle.ts';
import { narrowingOfText } from './text-narrowing.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const sign = (...bodies: string[]): BlockSignature =>
  signBlock(bodies.map(body => ({ receivedAt: 1, eventType: null, body: bytes(body) })));

const meets = (signature: BlockSignature, narrowing: Narrowing): boolean =>
  narrowing.every(item => {
    if ('any' in item) return item.any.some(one => meets(signature, one));
    return isFact(item) || hasProbe(signature, item);
  });

describe('narrowing by a text', () => {
  const spellings = (key: string, value: string): string[] => [
    `{"${key}":${value}}`,
    `{ "${key}": ${value} }`,
    `{\n  "${key}": ${value}\n}`,
    `{"${key}" : ${value}}`,
    `{"${key}"\t:\r\n\t${value}}`,
  ];

  test('never excludes a block with a piece of JSON, however it or the search is spaced', () => {
    const name = fc.constantFrom('a', 'id', 'status', 'größe', 'a\\"b', '\\u00e9t\\u00e9', '日本');
    const value = fc.constantFrom('1', '4711', '"paid"', '"a\\/b"', '"ÜBER"', '[1]', '{"x":"y z"}', '"😀"', 'null');
    let found = 0;
    fc.assert(
      fc.property(
        name,
        value,
        name,
        fc.nat(4),
        fc.nat(4),
        fc.constantFrom(2, 6, 12),
        (key, of, noise, at, as, limit) => {
          const bodies = [`{"${noise}":"other","list":[1,2,3]}`, spellings(key, of)[at] ?? ''];
          const q = (spellings(key, of)[as] ?? '').slice(1, -1);
          if (!bodies.some(body => matchesNow(createMatcher(q), null, bytes(body)))) return;
          found++;
          expect({ q, may: meets(sign(...bodies), narrowingOfText(q, limit)) }).toEqual({ q, may: true });
        },
      ),
      { numRuns: 2000 },
    );
    expect(found).toBeGreaterThan(1500);
  });

  test('excludes blocks without the key or the value', () => {
    const others = sign('{"order_number":12345,"tracking":"ZX-4711-99"}', '{"number":9,"tracking":"none"}');
    for (const q of ['"tracking": "AB-1234-56"', '"tracking":"AB-1234-56"', '"carrier_name" :"ZX-4711-99"'])
      expect(meets(others, narrowingOfText(q))).toBe(false);
  });

  test('is that of the grams for every other text', () => {
    expect(narrowingOfText('needle')).toEqual(gramsOf('needle'));
    expect(narrowingOfText('needle', 2)).toHaveLength(2);
    expect(narrowingOfText('ab')).toEqual([]);
  });
});
