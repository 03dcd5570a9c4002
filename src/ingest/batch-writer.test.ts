import { describe, expect, test } from 'bun:test';
import { createBatchWriter, type StoredBatch } from './batch-writer.ts';
import type { PackedRows } from './store.ts';

const errorWithCode = (code: string | undefined): Error => Object.assign(new Error('no'), { code });

/** A batch writer that records the number of rows of each batch in a commit. Row numbers begin with 7. */
function setUp(refuse: (batches: readonly PackedRows[]) => void = () => {}) {
  const commits: number[][] = [];
  let time = 0;
  const record = createBatchWriter({
    insert: async batches => {
      refuse(batches);
      commits.push(batches.map(({ count }) => count));
      let next = 7;
      return batches.map(({ count: rows }) => {
        next += rows;
        return { first: next - rows, rows };
      });
    },
    monotonic: () => (time += 5),
  });
  return { record, commits };
}

const batch = (count: number, isBad = false): PackedRows => ({
  count,
  numbers: Float64Array.of(isBad ? 1 : 0),
  bytes: new Uint8Array(0),
});
const isBad = ({ numbers }: PackedRows): boolean => numbers[0] === 1;
const outcomes = (results: PromiseSettledResult<StoredBatch>[]) =>
  results.map(one => (one.status === 'fulfilled' ? one.value.first : one.reason.code));

describe('the batch writer', () => {
  test('stores several batches in one commit, and returns row numbers for each and the commit for the first', async () => {
    const { record, commits } = setUp();
    const results = await record([batch(2), batch(1), batch(4)]);
    expect(results.map(one => one.status === 'fulfilled' && one.value)).toEqual([
      { first: 7, commit: { rows: 7, ms: 5 } },
      { first: 9, commit: null },
      { first: 10, commit: null },
    ]);
    expect(commits).toEqual([[2, 1, 4]]);
  });

  test('a row that the database refuses fails only its own batch', async () => {
    const { record, commits } = setUp(batches => {
      if (batches.some(isBad)) throw errorWithCode('SQLITE_CONSTRAINT');
    });
    const results = await record([batch(1), batch(2, true), batch(3)]);
    expect(outcomes(results)).toEqual([7, 'SQLITE_CONSTRAINT', 7]);
    expect(commits).toEqual([[1], [3]]);
  });

  test('after a storage failure the remaining batches are not tried', async () => {
    let tries = 0;
    const { record } = setUp(() => {
      tries++;
      throw errorWithCode(tries === 1 ? 'SQLITE_CONSTRAINT' : 'SQLITE_BUSY');
    });
    expect(outcomes(await record([batch(1), batch(1), batch(1)]))).toEqual([
      'SQLITE_BUSY',
      'SQLITE_BUSY',
      'SQLITE_BUSY',
    ]);
    expect(tries).toBe(2);
  });

  test.each(['SQLITE_FULL', undefined])(
    'a database failure (%s) fails all batches and is not tried again',
    async code => {
      let tries = 0;
      const { record } = setUp(() => {
        tries++;
        throw errorWithCode(code);
      });
      expect(outcomes(await record([batch(1), batch(1)]))).toEqual([code, code]);
      expect(tries).toBe(1);
    },
  );
});
