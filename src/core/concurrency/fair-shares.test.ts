import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createFairShares, type FairShares } from './fair-shares.ts';

/** Takes places for the owner until it gets no more. @returns how many it has */
function takeAll({ take, held }: FairShares, owner: string): number {
  while (take(owner));
  return held.get(owner) ?? 0;
}

describe('fair shares', () => {
  test('an owner alone gets half of what is not reserved, the next half of the rest, and later ones the assured places', () => {
    const shares = createFairShares({ total: 400, reserved: 100, assured: 4 });
    expect([...'abcdefgh'].map(owner => takeAll(shares, owner))).toEqual([150, 75, 37, 19, 9, 5, 4, 4]);
    expect(shares.free()).toBe(97);
  });

  test('owners that give places back and take again end with equal shares', () => {
    const shares = createFairShares({ total: 400, reserved: 100, assured: 4 });
    for (const owner of ['a', 'b']) takeAll(shares, owner);
    for (let turn = 0; turn < 200; turn++)
      for (const owner of ['a', 'b']) {
        shares.give(owner);
        takeAll(shares, owner === 'a' ? 'b' : 'a');
      }
    expect(shares.held.get('a')).toBeWithin(99, 102);
    expect(shares.held.get('b')).toBeWithin(99, 102);
  });

  test('returning a place that an owner does not have changes nothing', () => {
    const shares = createFairShares({ total: 1, reserved: 0, assured: 1 });
    shares.give('a');
    expect(shares.free()).toBe(1);
    expect([shares.take('a'), shares.take('b')]).toEqual([true, false]);
  });

  test('any order of taking and returning keeps the total, and a few owners always get their assured places', () => {
    const options = fc.record({
      total: fc.integer({ min: 1, max: 60 }),
      reserved: fc.integer({ min: 0, max: 60 }),
      assured: fc.integer({ min: 1, max: 8 }),
    });
    const steps = fc.array(fc.tuple(fc.constantFrom('take', 'give'), fc.constantFrom(...'abcdefgh')), {
      maxLength: 300,
    });
    fc.assert(
      fc.property(options, steps, ({ total, reserved, assured }, all) => {
        const shares = createFairShares({ total, reserved, assured });
        const own = (owner: string): number => shares.held.get(owner) ?? 0;
        for (const [step, owner] of all) {
          const before = { own: own(owner), free: shares.free() };
          const others = [...shares.held].filter(([other]) => other !== owner);
          if (step === 'give') shares.give(owner);
          else if (shares.take(owner)) {
            // Beyond the assured places, the reserved ones and as many as the owner has stay free.
            if (own(owner) > assured) expect(shares.free() - reserved).toBeGreaterThanOrEqual(own(owner));
          } else {
            expect(own(owner)).toBe(before.own);
            if (before.own < assured) {
              expect(before.free).toBe(0);
              expect((others.length + 1) * assured).toBeGreaterThan(Math.min(reserved, total));
            }
          }
          const taken = [...shares.held.values()].reduce((sum, count) => sum + count, 0);
          expect(taken + shares.free()).toBe(total);
          expect(shares.free()).toBeGreaterThanOrEqual(0);
          expect([...shares.held.values()].every(count => count > 0)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
