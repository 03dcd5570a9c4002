import { describe, expect, test } from 'bun:test';
import { createGroupCommit } from './group-commit.ts';

type Item = { endpoint: number };
const event = (endpoint: number): Item => ({ endpoint });

/** A database that answers each insert in turn with a row number or an error. */
const setUp = (...answers: (number | Error | Promise<Error>)[]) => {
  const inserted: number[][] = [];
  const failures: number[] = [];
  const commits = createGroupCommit<Item, number>({
    insert: async events => {
      inserted.push(events.map(one => one.endpoint));
      const answer = (await answers.shift()) ?? new Error('unexpected insert');
      if (typeof answer === 'number') return events.map((_, i) => answer + i);
      throw answer;
    },
    bytesOf: () => 1,
    onFailure: (_error, refused) => void failures.push(refused),
  });
  return { commits, inserted, failures };
};
const failure = (code: string, message = code) => Object.assign(new Error(message), { code });
const settle = (adds: Promise<number>[]) =>
  Promise.all(adds.map(add => add.catch((error: { code: string }) => error.code)));

describe('a group that the database refuses', () => {
  test('is stored row by row when a single row may be the cause', async () => {
    const { commits, failures } = setUp(failure('SQLITE_CONSTRAINT'), 7, failure('SQLITE_CONSTRAINT'), 8);
    expect(await settle([1, 2, 3].map(n => commits.add(event(n))))).toEqual([7, 'unavailable', 8]);
    expect(failures).toEqual([1]);
  });

  test('is refused from the row on for which there is no response in time', async () => {
    const { commits, inserted } = setUp(failure('SQLITE_CONSTRAINT'), 7, failure('TIMEOUT'));
    expect(await settle([1, 2, 3].map(n => commits.add(event(n))))).toEqual([7, 'unavailable', 'unavailable']);
    expect(inserted).toEqual([[1, 2, 3], [1], [2]]);
  });

  test.each(['SQLITE_FULL', 'SQLITE_BUSY', 'ECONNRESET', 'SERVER_ERROR', 'TRANSACTION_CLOSED', '23'])(
    '%s: is never tried again, because its rows may be stored already',
    async code => {
      const { commits, inserted, failures } = setUp(failure(code));
      expect(await settle([1, 2].map(n => commits.add(event(n))))).toEqual(['unavailable', 'unavailable']);
      expect(inserted).toEqual([[1, 2]]);
      expect(failures).toEqual([2]);
    },
  );

  test('that gets no response in time is refused together with all that wait; later ones are tried again', async () => {
    const { promise: answer, resolve } = Promise.withResolvers<Error>();
    const { commits, inserted, failures } = setUp(answer, 7);
    const first = commits.add(event(1));
    while (inserted.length === 0) await new Promise(next => setImmediate(next));
    const waiting = commits.add(event(2));
    resolve(failure('TIMEOUT'));
    expect(await settle([first, waiting])).toEqual(['unavailable', 'unavailable']);
    expect(await settle([commits.add(event(3))])).toEqual([7]);
    expect(inserted).toEqual([[1], [3]]);
    expect(failures).toEqual([2]);
    expect(commits.depth()).toBe(0);
  });

  test('a delivery that is too big for the database is refused with too_large', async () => {
    const { commits } = setUp(failure('ARGS_INVALID', 'string or blob too big'));
    expect(await settle([commits.add(event(1))])).toEqual(['too_large']);
  });
});
