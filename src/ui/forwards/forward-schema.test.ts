import { expect, test } from 'bun:test';
import type { Forward } from '../../features/forwards/model.ts';
import { forwardPresets } from '../../shared/forward-presets.ts';
import { forwardDefaults } from '../../shared/forwards.ts';
import { type DraftOf, differenceOf, draftOf, problemsOf, requestOf } from '../kit/schema.ts';
import { forwardRules, hasMore, withPreset } from './forward-schema.ts';

type Draft = DraftOf<typeof forwardRules.schema>;

const empty = draftOf(forwardRules.schema, forwardDefaults);
const draft: Draft = { ...empty, name: ' one ', url: 'localhost:3000/hook' };
const request = {
  ...{ name: 'one', url: 'http://localhost:3000/hook', where: null, mode: 'parallel' as const },
  ...{ sign: 'as-captured' as const, headers: [], timeoutS: 30, retry: { for: '24h', first: '5s', max: '1h' } },
  ...{ per: 'event' as const, enabled: true, request: null },
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
    ...{ name: 'a', url: 'https://example.com/', where: 'type:a', mode: 'ordered', orderBy: 'body.id', sign: 'own' },
    ...{ headers: [], timeoutS: 5, retry: { for: '1h', first: '1s', max: '2m' }, per: 'delivery', enabled: false },
    request: { method: 'PUT', contentType: 'text/plain', body: '{{id}}\n' },
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
  expect(Object.keys(problemsOf(forwardRules, { ...draft, sign: 'fresh', headers: pairs }))).toEqual(['headers']);
  const own: Draft = { ...draft, request: 'own', 'request.contentType': 'text/plain' };
  expect(problemsOf(forwardRules, own)).toEqual({});
  expect(problemsOf(forwardRules, { ...own, 'request.body': '{{x}} {{\u202e}}' })).toEqual({
    'request.body': '{{x}} is not a placeholder.',
  });
  const wrongRequest = {
    ...own,
    'request.contentType': '',
    'request.body': 'é'.repeat((32 << 10) + 1),
    sign: 'fresh' as const,
  };
  expect(Object.keys(problemsOf(forwardRules, wrongRequest)).sort()).toEqual([
    'request.body',
    'request.contentType',
    'sign',
  ]);
});

test('a preset fills the form, keeps what was typed, and must be completed', () => {
  const [routine, dispatch] = forwardPresets;
  if (!routine || !dispatch) throw new Error('no presets');
  const typed: Draft = {
    ...draft,
    headers: [
      ['X-Mine', '1'],
      ['authorization', 'mine'],
    ],
    sign: 'fresh',
  };
  expect(withPreset(typed, routine)).toEqual({
    headers: [['X-Mine', '1'], ...routine.headers],
    request: 'own',
    'request.method': 'POST',
    'request.contentType': 'application/json',
    'request.body': routine.request.body,
    sign: 'as-captured',
  });
  const first: Draft = { ...empty, name: 'a', ...withPreset(empty, routine) };
  expect(first.url).toBe(routine.url);
  expect(Object.keys(problemsOf(forwardRules, first)).sort()).toEqual(['headers', 'url']);
  const second: Draft = { ...first, ...withPreset(first, dispatch) };
  expect([second.url, second.headers]).toEqual([dispatch.url, dispatch.headers]);
  const completed: Draft = {
    ...second,
    url: 'https://api.github.com/repos/a/b/dispatches',
    headers: [['Authorization', 'Bearer x']],
  };
  expect(problemsOf(forwardRules, completed)).toEqual({});
  expect(requestOf(forwardRules, completed)).toMatchObject({ request: dispatch.request });
});
