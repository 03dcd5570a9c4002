import { describe, expect, test } from 'bun:test';
import { LibsqlError } from '@libsql/client';
import { DrizzleQueryError } from 'drizzle-orm';
import { storageRefusal } from './storage-refusal.ts';

describe('storageRefusal', () => {
  test.each([
    ['SQLITE_FULL', 'unavailable'],
    ['SQLITE_IOERR', 'unavailable'],
    ['SQLITE_BUSY', 'unavailable'],
    ['QUEUE_FULL', 'unavailable'],
    ['SQLITE_ERROR', undefined],
    ['SQLITE_CONSTRAINT', undefined],
    ['SQLITE_CORRUPT', undefined],
  ])('%s: %p, bare and as Drizzle wraps it', (code, refusal) => {
    const error = new LibsqlError('of the database', code);
    expect(storageRefusal(error)?.code).toBe(refusal as 'unavailable');
    expect(storageRefusal(new DrizzleQueryError('insert', [], error))?.code).toBe(refusal as 'unavailable');
  });

  test('nothing for what is no error, nor for a cause without end', () => {
    const round = new Error('round');
    round.cause = round;
    for (const one of [round, undefined, null, 'SQLITE_FULL', { code: 'SQLITE_FULL' }])
      expect(storageRefusal(one)).toBeUndefined();
  });
});
