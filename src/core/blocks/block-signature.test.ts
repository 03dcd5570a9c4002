import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { githubPayloads } from '../../../scripts/lib/payloads.ts';
import { matchesNow } from '../../testing/search-oracle.ts';
import { type BlockSignature, byteOf, gramsOf, mayContain, type SignedEvent, signBlock } from './block-signature.ts';
import { createMatcher, foldCase } from './search-text.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const event = (body: string | Uint8Array, eventType: string | null = null, receivedAt = 1000): SignedEvent => ({
  receivedAt,
  eventType,
  body: typeof body === 'string' ? bytes(body) : body,
});
const finds = ({ filter }: BlockSignature, q: string): boolean => mayContain(filter, gramsOf(foldCase(q)));
const hex = (seed: string | number): string => createHash('sha256').update(String(seed)).digest('hex');

const unit = fc.oneof(
  fc.constantFrom(
    ...[
      'a',
      'b',
      'A',
      'Z',
      'é',
      'É',
      'ſ',
      'K',
      'İ',
      'Σ',
      'ς',
      'σ',
      'ß',
      '漢',
      '😀',
      '\ufeff',
      ' ',
      '\n',
      '"',
      '/',
      '\\',
      '\\\\',
    ],
    ...['\\n', '\\/', '\\"', '\\u00e9', '\\u0041', '\\u212A', '\\ud83d\\ude00', '\\ud83d', '\\ude00', '\\u12', '\\x'],
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 7 }),
);
const text = fc.oneof(
  fc.string({ unit, maxLength: 40 }),
  fc.string({ unit, maxLength: 40 }).map(value => `{"value":"${value}"}`),
  fc.string({ unit, maxLength: 40 }).map(value => JSON.stringify({ value: JSON.stringify({ value }) })),
);

/** Pieces of a text, and of what it says once its escapes are resolved, in another case. */
const pieces = (of: string, at: number, length: number): string[] => {
  const resolved = of.replace(
    /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g,
    (_, code: string | undefined, letter: string) =>
      code === undefined ? (JSON.parse(`"\\${letter}"`) as string) : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return [of, resolved]
    .map(one => one.slice(at % Math.max(1, one.length)).slice(0, length))
    .flatMap(one => [one, one.toUpperCase(), one.toLowerCase()])
    .filter(one => one !== '');
};

describe('a block signature', () => {
  test('never excludes a text that the block contains', () => {
    let found = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, fc.option(text, { nil: null })), { minLength: 1, maxLength: 4 }),
        fc.nat(40),
        fc.integer({ min: 1, max: 12 }),
        (given, at, length) => {
          const events = given.map(([body, type]) => event(body, type));
          const signature = signBlock(events);
          for (const q of given.flatMap(([body, type]) => [
            ...pieces(body, at, length),
            ...pieces(type ?? '', at, length),
          ])) {
            const matcher = createMatcher(q);
            if (!events.some(({ eventType, body }) => matchesNow(matcher, eventType, body))) continue;
            found++;
            expect({ q, may: finds(signature, q) }).toEqual({ q, may: true });
          }
        },
      ),
      { numRuns: 1000 },
    );
    expect(found).toBeGreaterThan(3000);
  }, 120_000);

  test('never excludes bytes of any kind', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), fc.nat(56), fc.nat(9), (body, at, length) => {
        const q = new TextDecoder().decode(body.slice(at, at + length + 1));
        if (!matchesNow(createMatcher(q), null, body)) return;
        expect(finds(signBlock([event(body)]), q)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test('matches a term anywhere in a large block, and half of a surrogate pair', () => {
    for (const at of [0, 1, 65_530, 65_534, 65_536, 300_001]) {
      const body = `${'.'.repeat(at)}Needle${'.'.repeat(300_010 - at)}`;
      const signature = signBlock([event(body)]);
      expect([finds(signature, 'needle'), finds(signature, 'haystack')]).toEqual([true, false]);
    }
    expect(finds(signBlock([event('say 😀')]), 'say \ud83d')).toBe(true);
  });

  test('has no grams across the boundary of two events or texts', () => {
    const signature = signBlock([event('abc', 'xyz'), event('def', 'uvw')]);
    expect(['abc', 'def', 'xyz', 'uvw'].map(q => finds(signature, q))).toEqual([true, true, true, true]);
    expect(['bcd', 'cde', 'yza', 'cuv', 'abcdef'].map(q => finds(signature, q))).toEqual(new Array(5).fill(false));
  });

  test('excludes nothing for a term under three bytes, and ignores a body that is not UTF-8', () => {
    const signature = signBlock([event('some text'), event(new Uint8Array([...bytes('needle'), 0xff]))]);
    expect(['q', 'qq', 'é'].map(q => finds(signature, q))).toEqual([true, true, true]);
    expect(finds(signature, 'needle')).toBe(false);
  });

  test('has no filter when the text is too long or too random', () => {
    const large = signBlock([event('x'.repeat((1 << 20) + 1))]);
    const random = Array.from({ length: 20_000 }, (_, i) =>
      String.fromCharCode(0x4e00 + (Number.parseInt(hex(i).slice(0, 8), 16) % 20_000)),
    );
    for (const signature of [large, signBlock([event(random.join(''))])]) {
      expect(signature.filter.length).toBe(0);
      expect(finds(signature, 'anything at all')).toBe(true);
    }
  });

  test('has the times of receipt of its newest and its oldest event', () => {
    const { newest, oldest } = signBlock([3, -7, 5, 4].map(at => event('', null, at)));
    expect({ newest, oldest }).toEqual({ newest: 5, oldest: -7 });
  });

  test('has a power of two of bytes, and halving it merges pairs of bytes', () => {
    const body = hex(1).repeat(20);
    const small = signBlock([event(hex(1))]);
    const large = signBlock([event(hex(1)), ...Array.from({ length: 200 }, (_, i) => event(hex(i)))]);
    for (const { filter } of [small, large, signBlock([event(body)])]) expect(Math.log2(filter.length) % 1).toBe(0);
    for (const gram of gramsOf(hex(1))) expect(byteOf(gram, 1024) >> 1).toBe(byteOf(gram, 512));
  });
});

/** Blocks of about 64 KiB. */
function fill(bodies: Iterable<string>): SignedEvent[][] {
  const blocks: SignedEvent[][] = [[]];
  let size = 0;
  for (const body of bodies) {
    if (size + body.length > 64 << 10) [size] = [0, blocks.push([])];
    size += body.length;
    blocks.at(-1)?.push(event(body, 'invoice.paid'));
  }
  return blocks;
}

/** How many of the blocks a term is looked for in, for nothing. */
const falseShare = (blocks: SignedEvent[][], terms: string[]): number => {
  const signatures = blocks.map(signBlock);
  const wrong = terms.map(q => {
    const matcher = createMatcher(q);
    return signatures.filter(
      (signature, i) =>
        finds(signature, q) && !blocks[i]?.some(({ eventType, body }) => matchesNow(matcher, eventType, body)),
    ).length;
  });
  return wrong.reduce((sum, one) => sum + one, 0) / terms.length / blocks.length;
};

describe('false candidates', () => {
  const github = githubPayloads().map(({ body }) => new TextDecoder().decode(body));
  const ids = (length: number): string[] => Array.from({ length: 20 }, (_, i) => hex(`absent${i}`).slice(0, length));
  const words = ['shibboleth', 'kangaroo', 'chargeback', 'rejected by', 'grace.hopper@navy.mil', 'out of memory'];

  test('of GitHub examples with different hashes: at most 1 % for ids of 8 characters and more, 3 % for words', () => {
    let n = 0;
    const blocks = fill(github.map(body => body.replace(/[0-9a-f]{40}/g, () => hex(n++).slice(0, 40))));
    for (const length of [8, 12, 24, 40]) expect(falseShare(blocks, ids(length))).toBeLessThan(0.01);
    expect(falseShare(blocks, words)).toBeLessThan(0.03);
  });

  test('of small events full of random ids: at most 3 % for ids of 12 characters, 0.5 % for 16 and more, 10 % for words', () => {
    const small = (i: number): string => {
      const id = (name: string): string => `${name}_${hex(`${name}${i}`).slice(0, 24)}`;
      return JSON.stringify({
        id: id('evt'),
        object: 'event',
        created: 1_790_000_000 + i,
        data: {
          object: { id: id('in'), customer: id('cus'), charge: id('ch'), total: i * 37, email: `user${i}@example.com` },
        },
        request: { id: id('req'), idempotency_key: hex(`key${i}`).slice(0, 32) },
        type: 'invoice.paid',
        ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`some_field_of_it_${at}`, null])),
      });
    };
    const blocks = fill(Array.from({ length: 2000 }, (_, i) => small(i)));
    expect(falseShare(blocks, ids(12))).toBeLessThan(0.03);
    for (const length of [16, 24, 40]) expect(falseShare(blocks, ids(length))).toBeLessThan(0.005);
    expect(falseShare(blocks, words)).toBeLessThan(0.1);
  });

  test('the filter of a full block takes at most a sixteenth of its size', () => {
    for (const block of fill(github)) expect(signBlock(block).filter.length).toBeLessThanOrEqual(4096);
  });
});
