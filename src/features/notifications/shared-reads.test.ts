import { describe, expect, test } from 'bun:test';
import { eventId, nonceBytes, parseEventId } from '../../core/ids/ids.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { summaryOf } from '../../testing/tail-source.ts';
import { createSharedReads } from './shared-reads.ts';

const context = { endpoint: { seq: 1 } };
const event = (seq: number) => ({ ...summaryOf(seq), id: eventId(seq, new Uint8Array(nonceBytes)) });
const upTo = (count: number, from = 1): number[] => Array.from({ length: count }, (_, i) => from + i);

/** Each filter `path:/N` matches the multiples of N. */
function open() {
  const reads: number[][] = [];
  const matches: [seqs: number[], filters: number][] = [];
  const shared = createSharedReads<typeof context>({
    list: async (_, seqs) => {
      reads.push(seqs);
      return seqs.map(event);
    },
    match: async (_, seqs, filters) => {
      matches.push([seqs, filters.length]);
      return new Map(
        filters.map(filter => [filter, new Set(seqs.filter(seq => seq % Number(filter.text.slice(6)) === 0))]),
      );
    },
  });
  const read = async (seqs: number[], filter?: string) =>
    (await shared.listBySeq(context, seqs, filter === undefined ? undefined : parseFilter(filter))).map(
      ({ id }) => parseEventId(id)?.seq,
    );
  return { reads, matches, shared, read };
}

describe('reads that tails share', () => {
  test('what is asked for in one turn is read once, and each gets its own events', async () => {
    const { reads, matches, read } = open();
    const asked = [read([1, 2, 3]), read([3, 4]), read([2, 3, 4], 'path:/2'), read([1], 'path:/2'), read([4], '')];
    expect(await Promise.all(asked)).toEqual([[1, 2, 3], [3, 4], [2, 4], [], [4]]);
    expect([reads, matches]).toEqual([[[1, 2, 3, 4]], [[[1, 2, 3, 4], 2]]]);
    expect(await read([1])).toEqual([1]);
    expect(reads).toHaveLength(2);
  });

  test('tails without a filter get the same array', async () => {
    const { shared } = open();
    const [one, two] = await Promise.all([1, 2].map(() => shared.listBySeq(context, [5, 6], undefined)));
    expect(one).toBe(two as NonNullable<typeof two>);
  });

  test('nothing is read that only filters ask for and none matches', async () => {
    const { reads, read } = open();
    expect(await Promise.all([read([1, 3], 'path:/2'), read([3, 7], 'path:/5')])).toEqual([[], []]);
    expect(reads).toEqual([]);
  });

  test('tails that are far apart do not make one large read', async () => {
    const { reads, read } = open();
    const asked = upTo(6).map(n => upTo(100, n * 1000));
    expect(await Promise.all(asked.map(seqs => read(seqs)))).toEqual(asked);
    expect(reads.map(({ length }) => length)).toEqual([200, 200, 200]);
  });

  test('an error of a shared read reaches every tail that waits for it', async () => {
    const shared = createSharedReads<typeof context>({
      list: () => Promise.reject(new Error('broken')),
      match: async () => new Map(),
    });
    const asked = [shared.listBySeq(context, [1], undefined), shared.listBySeq(context, [2], undefined)];
    for (const one of await Promise.allSettled(asked)) expect(one).toMatchObject({ reason: new Error('broken') });
  });
});
