import { expect, test } from 'bun:test';
import { thrownBy } from '../../testing/thrown-by.ts';
import { ObjectStoreError, type StoreFailure } from './object-store.ts';
import { withRetries } from './retries.ts';

function failing(failures: readonly (StoreFailure | { retryAfterMs: number })[]) {
  const pauses: number[] = [];
  let at = 0;
  const request = async (): Promise<string> => {
    const failure = failures[at++];
    if (failure === undefined) return 'done';
    if (typeof failure === 'string') throw new ObjectStoreError(failure, { failure });
    throw new ObjectStoreError('busy', { failure: 'busy', ...failure });
  };
  const sleep = async (ms: number): Promise<void> => void pauses.push(ms);
  return { request, pauses, options: { sleep, attempts: 4 } };
}

test('a store that is away is asked again, later each time', async () => {
  const { request, pauses, options } = failing(['unavailable', 'full', { retryAfterMs: 3000 }]);
  expect(await withRetries(request, options)).toBe('done');
  expect(pauses).toEqual([500, 1000, 3000]);
});

test('what asking cannot change is thrown at once, and everything after the last attempt', async () => {
  const denied = failing(['denied']);
  expect(await thrownBy(withRetries(denied.request, denied.options))).toThrow('denied');
  expect(denied.pauses).toEqual([]);
  const away = failing(['busy', 'busy', 'busy', 'busy', 'busy']);
  expect(await thrownBy(withRetries(away.request, away.options))).toThrow('busy');
  expect(away.pauses.length).toBe(3);
});
