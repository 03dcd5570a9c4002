import { expect, test } from 'bun:test';
import { searchOf } from '../find-in-body/search-terms.ts';
import { foundSentence } from './found-sentence.ts';
import { groupAt, groupStarts } from './hit-groups.ts';

test.each<[where: string, count: number, isComplete: boolean, sentence: string]>([
  ['8123', 8, true, '8 events contain 8123'],
  ['8123', 1, true, '1 event contains 8123'],
  ['8123 "card declined"', 1200, false, '1,200 events contain 8123 and card declined so far'],
  ['"a\u202eb"', 2, true, '2 events contain a‹U+202E›b'],
  ['8123 type:invoice.*', 1, true, '1 event matches'],
  ['body.amount>1000', 3, false, '3 events match so far'],
])('%s with %d events', (where, count, isComplete, sentence) => {
  const { amount, words } = foundSentence({ count, isComplete }, searchOf(where));
  expect(`${amount} ${words}`).toBe(sentence);
});

test('hits are grouped: new ones, whole values, parts of longer ones', () => {
  const state = { arrivalCount: 1, wholeCount: 2, length: 6 };
  expect(groupStarts(state)).toEqual([1, 3]);
  expect([0, 1, 2, 3, 5].map(at => groupAt(at, state))).toEqual([
    'New · 1',
    'Whole value · 2',
    'Whole value · 2',
    'Part of a longer value · 3',
    'Part of a longer value · 3',
  ]);
  expect(groupStarts({ arrivalCount: 0, wholeCount: 2 })).toEqual([2]);
  // The last whole one was deleted.
  expect(groupStarts({ arrivalCount: 1, wholeCount: 0 })).toEqual([1]);
  expect(groupStarts({ arrivalCount: 3, wholeCount: undefined })).toBeUndefined();
  expect(groupAt(0, { ...state, wholeCount: undefined })).toBeUndefined();
});
