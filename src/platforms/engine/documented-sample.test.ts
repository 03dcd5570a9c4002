import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { documentedSamples, type SampleParts } from './documented-sample.ts';
import { createFresh } from './sample.ts';

const build = (own: SampleParts, shared: SampleParts = {}) => {
  const [sample] = documentedSamples({ shared, samples: [{ name: 'a', title: 'A', ...own }] });
  if (!sample) throw new Error('no sample');
  return sample.build(createFresh(1_789_000_123_456, randomBytes));
};
const jsonOf = (own: SampleParts, shared?: SampleParts) => JSON.parse(build(own, shared).body);

test('placeholders become texts, numbers and objects, and the same value has one id', () => {
  const values = { id: '{digits 8}', user: { id: '{id}', name: 'Ada' } };
  const { id, ...rest } = jsonOf({
    values,
    json: { id: '{id}', user: '{user}', at: '{seconds -4}', text: '{seconds|text}', url: '/{id}#{iso -60}' },
  });
  expect(rest).toEqual({
    user: { id, name: 'Ada' },
    at: 1_789_000_119,
    text: '1789000123',
    url: `/${id}#2026-09-10T00:27:43.456Z`,
  });
});

test('what all samples share is merged into each, and other braces stay', () => {
  const shared = { headers: { A: '1', B: '{event}' }, json: { user: { name: 'Ada' }, list: [1, 2] } };
  const { headers, body } = build({ values: { event: 'x' }, json: { user: { id: '{1c-2}' }, list: [3] } }, shared);
  expect(headers.slice(1)).toEqual([
    ['A', '1'],
    ['B', 'x'],
  ]);
  expect(JSON.parse(body)).toEqual({ user: { name: 'Ada', id: '{1c-2}' }, list: [3] });
});

test.each(['{uid}', '{uuid|short}', 'a {toString} b'])('an unknown placeholder is an error: %s', text =>
  expect(() => build({ json: text })).toThrow('unknown placeholder'),
);
