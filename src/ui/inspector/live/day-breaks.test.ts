import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createDayBreaks } from './day-breaks.ts';

const day = (n: number, hour = 12): number => new Date(2026, 10, n, hour).getTime();

/** A list as the live list is: `newer` oldest first, `older` newest first. */
function rows(newer: number[], older: number[]) {
  let revision = 0;
  const at = (index: number) => {
    const receivedAt = index < newer.length ? newer[newer.length - 1 - index] : older[index - newer.length];
    return receivedAt === undefined ? undefined : { receivedAt };
  };
  const breaks = createDayBreaks({ at });
  return {
    newer,
    older,
    changed: () => void revision++,
    breaks: () => breaks({ length: newer.length + older.length, arrivalCount: newer.length, revision }),
    /** Looks at every row. */
    expected: () => {
      const found: number[] = [];
      for (let i = 1; i < newer.length + older.length; i++)
        if (new Date(at(i)?.receivedAt ?? 0).toDateString() !== new Date(at(i - 1)?.receivedAt ?? 0).toDateString())
          found.push(i);
      return found;
    },
  };
}

test('a day begins where the row above is of another day', () => {
  expect(rows([], [day(5), day(5, 1), day(4), day(2), day(2)]).breaks()).toEqual([2, 3]);
  expect(rows([day(5), day(6), day(6, 13)], [day(5, 1), day(4)]).breaks()).toEqual([2, 4]);
  expect(rows([day(5)], []).breaks()).toEqual([]);
  expect(rows([], []).breaks()).toEqual([]);
});

test('whatever is added at the ends and exchanged, the breaks are those of all rows', () => {
  const time = fc.integer({ min: 1, max: 6 }).chain(n => fc.integer({ min: 0, max: 23 }).map(hour => day(n, hour)));
  const step = fc.record({
    kind: fc.constantFrom('newer', 'older', 'remove'),
    times: fc.array(time, { maxLength: 4 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), steps => {
      const list = rows([], []);
      for (const { kind, times } of steps) {
        if (kind === 'remove') {
          list.newer.splice(0, 1);
          list.older.splice(1, 2);
          list.changed();
        } else list[kind as 'newer' | 'older'].push(...times);
        expect(list.breaks()).toEqual(list.expected());
      }
    }),
  );
});
