import { describe, expect, test } from 'bun:test';
import { countOf, draftOf, ruleForField, ruleOf } from './rule-draft.ts';

describe('the rule for a field of an event', () => {
  test.each([
    ['body.customer.email', 'body', 'customer.email'],
    ['body.items[].card', 'body', 'items[].card'],
    ['body[].card', 'body', '[].card'],
    ['body."order.id"', 'body', '"order.id"'],
    ['header.x-customer', 'header', 'x-customer'],
    ['query."a b"', 'query', '"a b"'],
  ] as const)('%p', (field, place, path) => {
    expect(ruleForField(field, 'hash')).toEqual({ in: place, path, with: 'hash' });
  });

  test('there is none for other fields', () => {
    for (const field of ['ip', 'path', 'body', 'type']) expect(ruleForField(field, 'mask')).toBeUndefined();
  });
});

test('a rule that is edited stays the same rule', () => {
  const rules = [{ in: 'query', path: 'a b', with: 'mask' } as const, { detect: 'ip', with: 'remove' } as const];
  expect(rules.map(draftOf).map(ruleOf)).toEqual(rules);
});

test('the number of events that change is a sentence', () => {
  expect([countOf(0, 0), countOf(0, 3), countOf(1, 1), countOf(2, 2), countOf(1, 2)]).toEqual([
    'No events yet.',
    'The rules take nothing from the last 3 events.',
    'The last event would change.',
    'All of the last 2 events would change.',
    '1 of the last 2 events would change.',
  ]);
});
