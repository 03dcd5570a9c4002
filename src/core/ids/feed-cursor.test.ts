import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { encodeCursor } from './cursor.ts';
import { decodeFeedCursor, encodeFeedCursor } from './feed-cursor.ts';

const endpoint = 'ep_01m2ab3cd4ef5gh6jk7mn8pq9r0s1t';

describe('feed cursors', () => {
  test('decode to the encoded position, and sort like it', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (one, other) => {
        const cursor = encodeFeedCursor(endpoint, one);
        expect(decodeFeedCursor(endpoint, cursor)).toBe(one);
        expect(encodeURIComponent(cursor)).toBe(cursor);
        expect(cursor < encodeFeedCursor(endpoint, other)).toBe(one < other);
      }),
    );
  });

  const good = encodeFeedCursor(endpoint, 9);
  test.each([
    ['nothing', ''],
    ['a shorter text', good.slice(1)],
    ['a longer text', `0${good}`],
    ['upper case', good.toUpperCase()],
    ['a number that is too large', `zzzzzzzzzzz${good.slice(11)}`],
    ['a letter outside the alphabet', `u${good.slice(1)}`],
    ['the cursor of another endpoint', encodeFeedCursor('ep_01m2ab3cd4ef5gh6jk7mn8pq9r0s1v', 9)],
    ['the cursor of a list', encodeCursor({ receivedAt: 1, seq: 9 })],
  ])('%s is none', (_, cursor) => {
    expect(decodeFeedCursor(endpoint, cursor)).toBeUndefined();
  });
});
