import { expect, test } from 'bun:test';
import type { Forward } from '../../features/forwards/model.ts';
import { forwardDefaults } from '../../shared/forwards.ts';
import { type DraftOf, differenceOf, draftOf, problemsOf, requestOf } from '../kit/schema.ts';
import { forwardRules, hasMore } from './forward-schema.ts';

type Draft = DraftOf<typeof forwardRules.schema>;

const empty = draftOf(forwardRules.schema, forwardDefaults);
const draft: Draft = { ...empty, name: ' one ', url: 'localhost:3000/hook' };
const request = {
  ...{ name: 'one', url: 'http://localhost:3000/hook', where: null, mode: 'parallel' as const },
  ...{ sign: 'as-captured' as const, headers: [], timeoutS: 30, retry: { for: '24h', first: '5s', max: '1h' } },
  ...{ per: 'event' as const, enabled: true },
};
const requested = (given: Partial<Draft> = {}) => requestOf(forwardRules, { ...draft, ...given });
const pairs = [
  ['', ''],
  [' X-A ', ' b '],
] as const;

test('a draft becomes a request', () => {
  expect(requested()).toEqual(request);
  const ordered: Partial<Draft> = { mode: 'ordered', orderBy: ' body.id ', where: ' type:push ' };
  expect(requested(ordered)).toEqual({ ...request, mode: 'ordered', orderBy: 'body.id', where: 'type:push' });
  expect(requested({ ...ordered, mode: 'parallel' })).not.toHaveProperty('orderBy');
  expect(requested({ headers: pairs })).toMatchObject({ headers: [['X-A', ' b ']] });
});

test('the draft of a forward becomes the same forward, and a change has only what differs', () => {
  const settings = {
    ...{ name: 'a', url: 'https://example.com/', where: 'type:a', mode: 'ordered', orderBy: 'body.id', sign: 'fresh' },
    ...{ headers: [], timeoutS: 5, retry: { for: '1h', first: '1s', max: '2m' }, per: 'delivery', enabled: false },
  } satisfies Partial<Forward>;
  const saved = draftOf(forwardRules.schema, settings);
  const before = requestOf(forwardRules, saved);
  expect(before).toEqual(settings);
  expect([hasMore(saved), hasMore(draft)]).toEqual([true, false]);
  expect(differenceOf(before, requestOf(forwardRules, saved))).toEqual({});
  // What was taken out is null, so that the forward loses it.
  const changed: Draft = { ...saved, where: '', mode: 'parallel', 'retry.first': '2s' };
  expect(differenceOf(before, requestOf(forwardRules, changed))).toEqual({
    where: null,
    mode: 'parallel',
    orderBy: null,
    retry: { for: '1h', first: '2s', max: '2m' },
  });
});

test('problems stand at their fields', () => {
  expect(Object.keys(problemsOf(forwardRules, empty)).sort()).toEqual(['name', 'url']);
  const wrong: Draft = {
    ...draft,
    url: 'ftp://x',
    where: 'nope:1',
    timeoutS: '121',
    'retry.for': 'x',
    'retry.max': '',
  };
  expect(Object.keys(problemsOf(forwardRules, wrong)).sort()).toEqual([
    'retry.for',
    'retry.max',
    'timeoutS',
    'url',
    'where',
  ]);
  expect(Object.keys(problemsOf(forwardRules, { ...draft, sign: true, headers: pairs }))).toEqual(['headers']);
});
