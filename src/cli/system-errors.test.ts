import { describe, expect, test } from 'bun:test';
import { LibsqlError } from '@libsql/client';
import { diskErrorMessage } from './system-errors.ts';

const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code });

describe('a disk error', () => {
  test.each([
    ['a damaged page', new LibsqlError('malformed', 'SQLITE_CORRUPT'), 'damaged', 'restore'],
    ['another file', new LibsqlError('not a database', 'SQLITE_NOTADB'), 'damaged', 'restore'],
    ['a full disk, to the database', new LibsqlError('no room', 'SQLITE_FULL'), 'the disk is full', 'Free some space'],
    ['a full disk, to a file', coded('no space left on device', 'ENOSPC'), 'the disk is full', 'Free some space'],
    [
      'a wrapped error',
      new Error('Failed query', { cause: coded('no space', 'ENOSPC') }),
      'the disk is full: no space\n',
      'Free some space',
    ],
  ])('%s', (_what, error, words, wayOut) => {
    expect(diskErrorMessage(error)).toContain(words);
    expect(diskErrorMessage(error)).toContain(wayOut);
  });

  test('has its code only once', () =>
    expect(diskErrorMessage(coded('SQLITE_FULL: SQLITE_FULL: disk is full', 'SQLITE_FULL'))).toStartWith(
      'the disk is full: SQLITE_FULL: disk is full\n',
    ));

  test.each([
    ['another code', coded('in use', 'SQLITE_BUSY')],
    ['none', new Error('the disk is full')],
    ['no error', 'ENOSPC'],
  ])('is not %s', (_what, error) => {
    expect(diskErrorMessage(error)).toBeUndefined();
  });
});
