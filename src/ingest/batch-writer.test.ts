import { describe, expect, test } from 'bun:test';
import { createBatchWriter, type StoredBatch } from './batch-writer.ts';
import type { PackedRows } from './store.ts';

const coded = (code: string | undefined): Error => Object.assign(new Error('no'), { code });

/** A recorder whose commits are kept here: the rows of each parcel. Row numbers begin with 7. */
function setUp(refuse: (parcels: readonly PackedRows[]) => void = () => {}) {
  const commits: number[][] = [];
  let time = 0;
  const record = createBatchWriter({
    insert: async parcels => {
      refuse(parcels);
      commits.push(parcels.map(({ count }) => count));
      let next = 7;
      return parcels.map(({ count: rows }) => {
        next += rows;
        return { first: next - rows, rows };
      });
    },
    monotonic: () => (time += 5),
  });
  return { record, commits };
}

const parcel = (count: number, isBad = false): PackedRows => ({
  count,
  numbers: Float64Array.of(isBad ? 1 : 0),
  bytes: new Uint8Array(0),
});
const isBad = ({ numbers }: PackedRows): boolean => numbers[0] === 1;
const said = (results: PromiseSettledResult<StoredBatch>[]) =>
  results.map(one => (one.status === 'fulfilled' ? one.value.first : one.reason.code));

describe('the recorder', () => {
  test('stores several parcels in one commit, and says of each where it is and of one what the commit was', async () => {
    const { record, commits } = setUp();
    const results = await record([parcel(2), parcel(1), parcel(4)]);
    expect(results.map(one => one.status === 'fulfilled' && one.value)).toEqual([
      { first: 7, commit: { rows: 7, ms: 5 } },
      { first: 9, commit: null },
      { first: 10, commit: null },
    ]);
    expect(commits).toEqual([[2, 1, 4]]);
  });

  test('a row that the database does not take fails its own parcel alone', async () => {
    const { record, commits } = setUp(parcels => {
      if (parcels.some(isBad)) throw coded('SQLITE_CONSTRAINT');
    });
    const results = await record([parcel(1), parcel(2, true), parcel(3)]);
    expect(said(results)).toEqual([7, 'SQLITE_CONSTRAINT', 7]);
    expect(commits).toEqual([[1], [3]]);
  });

  test('when the storage fails on the way from one to the next, it is not asked again', async () => {
    let tries = 0;
    const { record } = setUp(() => {
      tries++;
      throw coded(tries === 1 ? 'SQLITE_CONSTRAINT' : 'SQLITE_BUSY');
    });
    expect(said(await record([parcel(1), parcel(1), parcel(1)]))).toEqual([
      'SQLITE_BUSY',
      'SQLITE_BUSY',
      'SQLITE_BUSY',
    ]);
    expect(tries).toBe(2);
  });

  test.each(['SQLITE_FULL', undefined])(
    'a failure of the database (%s) is nobody’s alone, and not tried again',
    async code => {
      let tries = 0;
      const { record } = setUp(() => {
        tries++;
        throw coded(code);
      });
      expect(said(await record([parcel(1), parcel(1)]))).toEqual([code, code]);
      expect(tries).toBe(1);
    },
  );
});
