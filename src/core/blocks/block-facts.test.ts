import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type Fact,
  factBytes,
  factOfSize,
  factsOf,
  factsOfValue,
  hasFact,
  noPaths,
  otherBodies,
} from './block-facts.ts';
import { gramsOf, gramsOfPath, mayContain, type SignedEvent, signBlock } from './block-signature.ts';
import { foldCase } from './search-text.ts';

const event = (given: Partial<SignedEvent> = {}): Required<SignedEvent> => ({
  receivedAt: 0,
  eventType: null,
  platform: null,
  method: 'POST',
  path: '',
  headersJson: '[]',
  body: new Uint8Array(0),
  ...given,
});
const sized = (length: number) => event({ body: new Uint8Array(length) });
const all = (facts: Uint8Array, wanted: readonly Fact[]): boolean => wanted.every(fact => hasFact(facts, fact));
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const finds = (events: SignedEvent[], text: string): boolean =>
  mayContain(signBlock(events).filter, gramsOf(foldCase(text)));

describe('the facts of a block', () => {
  test('never exclude a value or a size that one of its events has', () => {
    const text = fc.option(fc.string({ unit: 'grapheme', maxLength: 12 }), { nil: null });
    const one = fc.record({
      eventType: text,
      platform: text,
      method: fc.string({ minLength: 1, maxLength: 8 }),
      size: fc.nat(40_000),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 20 }), given => {
        const facts = factsOf(
          given.map(({ size, ...columns }) => ({ ...event(columns), body: { length: size } })),
          false,
        );
        for (const { eventType, platform, method, size } of given) {
          if (eventType !== null) expect(all(facts, factsOfValue('type', eventType))).toBe(true);
          if (platform !== null) expect(all(facts, factsOfValue('platform', platform.toLowerCase()))).toBe(true);
          expect(all(facts, factsOfValue('method', method.toUpperCase()))).toBe(true);
          expect(all(facts, [factOfSize('atLeast', size), factOfSize('atMost', size)])).toBe(true);
        }
      }),
    );
  });

  test('exclude nearly every other value of a block with few, and a fifth at most of one with many', () => {
    const absent = Array.from({ length: 1000 }, (_, i) => factsOfValue('type', `absent.${i}`));
    const share = (types: number): number => {
      const events = Array.from({ length: types }, (_, i) => event({ eventType: `type.${i}`, platform: 'github' }));
      const facts = factsOf(events, false);
      return absent.filter(wanted => all(facts, wanted)).length / absent.length;
    };
    expect(share(8)).toBeLessThan(0.01);
    expect(share(60)).toBeLessThan(0.2);
  });

  test('tell sizes apart to a factor of the root of two', () => {
    const facts = factsOf([sized(3000), sized(9000)], false);
    const has = (which: 'atLeast' | 'atMost', size: number) => hasFact(facts, factOfSize(which, size));
    expect([has('atLeast', 9000), has('atLeast', 11_600), has('atLeast', 1 << 30)]).toEqual([true, false, false]);
    expect([has('atMost', 3000), has('atMost', 2000), has('atMost', 0)]).toEqual([true, false, false]);
    expect(hasFact(factsOf([sized(0)], false), factOfSize('atMost', 0))).toBe(true);
  });

  test('keep the kinds of values apart', () => {
    const facts = factsOf([event({ eventType: 'push', platform: 'github' })], false);
    expect(all(facts, factsOfValue('platform', 'push'))).toBe(false);
    expect(all(facts, factsOfValue('type', 'github'))).toBe(false);
    expect(all(facts, factsOfValue('type', 'PUSH'))).toBe(false);
  });

  test('exclude nothing when a column is unknown, or there are no facts', () => {
    const { platform: _, ...unknown } = event();
    for (const facts of [factsOf([event(), unknown], false), new Uint8Array(0)]) {
      expect(all(facts, factsOfValue('type', 'absent'))).toBe(true);
      expect(all(facts, [noPaths, otherBodies, factOfSize('atLeast', 1 << 20)])).toBe(true);
    }
    expect(factsOf([event()], false)).toHaveLength(factBytes);
  });

  test('say that a body is not in the filter', () => {
    const facts = (body: Uint8Array) => signBlock([event({ body })]).facts;
    expect([bytes('a'), bytes('{}'), new Uint8Array(0)].map(body => hasFact(facts(body), otherBodies))).toEqual([
      false,
      false,
      false,
    ]);
    expect(hasFact(facts(Uint8Array.of(0x61, 0xff)), otherBodies)).toBe(true);
    expect(hasFact(facts(bytes('a')), noPaths)).toBe(false);
  });
});

describe('the filter of a block', () => {
  test('has whole paths, beginnings and pieces, ignoring case, and few others', () => {
    const { filter } = signBlock([event({ path: '/Orders/17/\u00e9' }), event({ path: '/hook' })]);
    const has = (text: string, part: 'all' | 'start' | 'any') => mayContain(filter, gramsOfPath(text, part));
    expect([
      has('/orders/17/\u00e9', 'all'),
      has('/hook', 'all'),
      has('/orders/', 'start'),
      has('ers/1', 'any'),
    ]).toEqual([true, true, true, true]);
    const others = Array.from({ length: 300 }, (_, i) => `/hook/${i * 7}`);
    expect(others.filter(path => has(path, 'all')).length).toBeLessThan(30);
  });

  test('has the fields of forms as they were sent and decoded, and those of JSON only when its sender calls it a form', () => {
    const form = event({ body: bytes('name=caf%C3%A9+cr%c3%a8me&q=50%25%2') });
    for (const text of ['café crème', 'caf%c3%a9+cr', '50%%2'])
      expect([text, finds([form], text)]).toEqual([text, true]);
    const json = (headersJson: string) => event({ body: bytes('{"a":"one+two%21"}'), headersJson });
    expect(finds([json('[["Content-Type","application/json"]]')], 'one two!')).toBe(false);
    expect(finds([json('[["Content-Type","application/x-www-form-URLEncoded"]]')], 'one two!')).toBe(true);
  });
});
