import { expect, test } from 'bun:test';
import { ApiError } from '../kit/api.ts';
import { draftOf } from './draft.ts';
import { unknownPlaceholders } from './placeholders.ts';
import { problemOfError } from './server-problem.ts';

const drafts = ['a', 'b', 'odd "name") (x'].map(name => draftOf({ name, answer: {} }));
const keyOf = (at: number): number => drafts[at]?.key ?? -1;

test.each([
  [
    'Rules[1] ("b"): answer.headers "Set-Cookie" cannot be set by a rule.',
    1,
    'headers',
    '"Set-Cookie" cannot be set by a rule.',
  ],
  ['Rules[2] ("odd \\"name\\") (x"): answer.status must be a whole number.', 2, 'status', 'Must be a whole number.'],
  ['Rules[0].name: another rule is called "a", too.', 0, 'name', 'Another rule is called "a", too.'],
  [
    'Rules[0] ("a"): rate.perS must be a whole number from 1 to 86400.',
    0,
    'ratePerS',
    'Must be a whole number from 1 to 86400.',
  ],
  ['Rules[0] ("a"): rate.max must be less.', 0, 'rateMax', 'Must be less.'],
  ['Invalid body: rules.1.answer.delayMs: expected a number.', 1, 'delay', 'Expected a number.'],
  ['Rules[1] ("b"): answer.body is not base64.', 1, 'body', 'Is not base64.'],
] as const)('%s', (message, at, field, words) => {
  expect(problemOfError(new ApiError(400, message), drafts)).toEqual({ key: keyOf(at), field, message: words });
});

test('a wrong condition has its place and the nearest field', () => {
  const error = new ApiError(400, 'Rules[0] ("a"): when: there is no field "tpye".', { position: 3, nearest: 'type' });
  const { field, filter } = problemOfError(error, drafts);
  expect([field, filter?.position, filter?.nearest]).toEqual(['when', 3, 'type']);
});

test('a problem without a field is shown by itself', () => {
  for (const message of ['Forbidden.', 'Rules: an endpoint has at most 50 rules.', 'Rules[9] ("z"): first must be.'])
    expect(problemOfError(new Error(message), drafts)).toEqual({ message });
});

test('what looks like a placeholder and is none is found', () => {
  expect(unknownPlaceholders('{{id}} {{ now }} {{header.X-Id}} {{query.a[0]}} {{body.a.b}} { {{x}')).toEqual([]);
  expect(unknownPlaceholders('{{uuid}} {{body}} {{header.}} {{uuid}} {{body.a b}}')).toEqual([
    '{{uuid}}',
    '{{body}}',
    '{{header.}}',
    '{{body.a b}}',
  ]);
});
