import { describe, expect, test } from 'bun:test';
import { type CursorScope, decodeCursor, encodeCursor } from './cursor.ts';

const scope: CursorScope = { name: 'webhook.received', id: 'ep_01m2ab3cd4ef5gh6jk7mn8pq9r0s1t' };
const cursor = encodeCursor(scope, { seq: 1234, since: 1200 });

test('a cursor gives its position back', () => {
  expect(decodeCursor(scope, cursor)).toEqual({ seq: 1234, since: 1200 });
  const largest = { seq: Number.MAX_SAFE_INTEGER, since: 0 };
  expect(decodeCursor(scope, encodeCursor(scope, largest))).toEqual(largest);
});

test('after a restored backup, the position may be before the beginning', () => {
  expect(decodeCursor(scope, encodeCursor(scope, { seq: 5, since: 9 }))).toEqual({ seq: 5, since: 5 });
});

describe('a cursor is refused', () => {
  const others: [string, CursorScope, string][] = [
    ['of another type', { ...scope, name: 'alert.changed' }, cursor],
    ['of another endpoint', { ...scope, id: `${scope.id.slice(0, -1)}9` }, cursor],
    ['that is empty', scope, ''],
    ['that is cut', scope, cursor.slice(1)],
    ['that is longer', scope, `0${cursor}`],
    ['with other letters', scope, `!${cursor.slice(1)}`],
    ['beyond safe integers', scope, `${'z'.repeat(11)}${cursor.slice(11)}`],
    [
      'that begins after its position',
      scope,
      encodeCursor(scope, { seq: 1, since: 1 }).replace(/^.{11}/, '0'.repeat(11)),
    ],
  ];
  test.each(others)('%s', (_, of, given) => {
    expect(decodeCursor(of, given)).toBeUndefined();
  });
});
