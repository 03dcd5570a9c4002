/* Backups of a database whose pages are 64 bytes, in a store in memory. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { thrownBy } from '../../testing/thrown-by.ts';
import { type ObjectStore, ObjectStoreError } from '../network/object-store.ts';
import {
  type Claim,
  decodeLogBody,
  decodeLogHead,
  encodeClaim,
  encodeIndex,
  encodeLogBody,
  encodeLogHead,
  hashPage,
  type LogLink,
  xorPage,
} from './contents.ts';
import { createBackupNames } from './names.ts';
import { readBackup } from './read-backup.ts';
import type { BackupSource } from './read-objects.ts';
import { createBackupSeal } from './seal.ts';

const secret = 'a secret that is long enough for a test';
const chain = 'c'.repeat(32);
const pageSize = 64;
const page = (fill: number): Buffer => Buffer.alloc(pageSize, fill);

let stored: Map<string, Buffer>;
let source: BackupSource;
/** The database, by page. */
let database: Map<number, Buffer>;
let tip: LogLink | null;
beforeEach(() => {
  stored = new Map();
  source = { store: memoryStore(stored), names: createBackupNames(secret), seal: createBackupSeal(secret) };
  database = new Map();
  tip = null;
});

function memoryStore(objects: Map<string, Buffer>): ObjectStore {
  const notUsed = () => Promise.reject(new Error('not used'));
  return {
    location: 's3://tapes/x',
    put: notUsed,
    head: notUsed,
    remove: notUsed,
    removeAll: notUsed,
    keepsVersions: notUsed,
    async *list() {
      for (const [name, { length }] of objects) yield { name, size: length, etag: undefined, modifiedAt: 0 };
    },
    get: async (name, options) => {
      const bytes = objects.get(name);
      if (!bytes) throw new ObjectStoreError(`GET ${name}`, { failure: 'missing' });
      const [from, length] = 'range' in options ? options.range : [0, bytes.length];
      return { bytes: bytes.subarray(from, from + length), etag: undefined };
    },
  };
}

type Written = { pages: Record<number, Buffer>; deltas?: number[]; commit?: number; at?: number; horizon?: number };

/** Stores changes as the next object of the log. */
async function write(seq: number, { pages, deltas = [], commit, at = seq * 1000, horizon = 0 }: Written) {
  const numbers = Object.keys(pages).map(Number);
  const records = numbers.map(number => {
    const now = pages[number] as Buffer;
    const record = Buffer.from(now);
    if (deltas.includes(number)) xorPage(record, database.get(number) as Buffer);
    database.set(number, now);
    return record;
  });
  const head = encodeLogHead({
    chain,
    seq,
    prev: tip,
    run: 'run',
    at,
    commit: commit === undefined ? null : { pages: commit },
    pageSize,
    horizon,
    pages: Uint32Array.from(numbers),
    deltas: Uint8Array.from(numbers, number => (deltas.includes(number) ? 1 : 0)),
    hashes: BigUint64Array.from(numbers, number => hashPage(pages[number] as Buffer)),
  });
  const place = { kind: 'log', seq } as const;
  const sealed = await source.seal.seal(place, head, await encodeLogBody(new Uint8Array(Buffer.concat(records))));
  stored.set(source.names.name(place), sealed.bytes);
  tip = { seq, tag: sealed.tag };
}

async function writeIndex(horizon = 0): Promise<void> {
  const { map, state, tip: prev } = await readBackup(source);
  const indexes = [{ seq: state.seq, at: state.at }];
  if (!prev) throw new Error('no log');
  const { head, body } = encodeIndex(
    { chain, seq: state.seq, prev, at: state.at, pageSize, horizon, indexes },
    map.toIndex(),
  );
  const place = { kind: 'index', seq: state.seq } as const;
  stored.set(source.names.name(place), (await source.seal.seal(place, head, body)).bytes);
}

/** Restores as the command does. */
async function restored(at?: number): Promise<(number | undefined)[]> {
  const { map } = await readBackup(source, at === undefined ? {} : { at });
  const file = new Map<number, Buffer>();
  for (const { seq } of map.objectsNeeded()) {
    const place = { kind: 'log', seq } as const;
    const bytes = stored.get(source.names.name(place)) as Buffer;
    const opened = await source.seal.openHead(place, bytes);
    if ('needs' in opened) throw new Error('too short');
    const head = decodeLogHead(opened.head);
    const body = await decodeLogBody(await source.seal.openBody(place, bytes, opened), head);
    for (const [i, number] of head.pages.entries()) {
      if (!map.needs(number, seq)) continue;
      const record = Buffer.from(body.subarray(i * pageSize, (i + 1) * pageSize));
      if (head.deltas[i] === 1) xorPage(record, file.get(number) as Buffer);
      file.set(number, record);
    }
  }
  return Array.from({ length: map.pages() }, (_, i) => {
    const bytes = file.get(i + 1) ?? page(0);
    expect(map.hash(i + 1) ?? hashPage(page(0))).toBe(hashPage(bytes));
    return bytes[0];
  });
}

describe('a state', () => {
  test('is put together of full pages, changes and pieces, and of all of them again with an index', async () => {
    await write(1, { pages: { 1: page(1), 2: page(2), 3: page(3) }, commit: 3 });
    await write(2, { pages: { 2: page(22) }, deltas: [2], commit: 3 });
    await write(3, { pages: { 5: page(5) } });
    expect(await restored()).toEqual([1, 22, 3]);
    await write(5, { pages: { 1: page(11), 2: page(222) }, deltas: [1, 2], commit: 6 });
    expect(await restored()).toEqual([11, 222, 3, 0, 5, 0]);
    await writeIndex();
    expect(await restored()).toEqual([11, 222, 3, 0, 5, 0]);
    await write(6, { pages: { 2: page(7) }, deltas: [2], commit: 2 });
    expect(await restored()).toEqual([11, 7]);
    expect([await restored(1000), await restored(4999), await restored(5000)]).toEqual([
      [1, 2, 3],
      [1, 22, 3],
      [11, 222, 3, 0, 5, 0],
    ]);
    const early = await readBackup(source, { at: 999 }).catch(error => error);
    expect(early).toMatchObject({ failure: 'too_early', oldest: 1000 });
  });

  test('needs no object whose pages were cut off before the state was complete', async () => {
    await write(1, { pages: { 1: page(1) }, commit: 1 });
    await write(2, { pages: { 3: page(3) } });
    await write(3, { pages: { 1: page(4) }, commit: 1 });
    const { map } = await readBackup(source);
    expect([...map.objects.values()].map(({ live }) => live)).toEqual([0, 0, 1]);
  });

  test('needs no object whose pages were all replaced', async () => {
    await write(1, { pages: { 1: page(1), 2: page(2) }, commit: 2 });
    await write(2, { pages: { 1: page(3) }, deltas: [1], commit: 2 });
    await write(3, { pages: { 1: page(4) }, commit: 2 });
    const { map } = await readBackup(source);
    expect([...map.objects.values()].map(({ live, died }) => [live, died])).toEqual([
      [1, 0],
      [0, 3],
      [1, 0],
    ]);
    await write(4, { pages: { 1: page(5) }, commit: 1 });
    expect((await readBackup(source)).map.objectsNeeded().map(({ seq }) => seq)).toEqual([4]);
  });

  test('at a time has nothing that a clock which went back put after it', async () => {
    await write(1, { pages: { 1: page(1) }, commit: 1 });
    await write(2, { pages: { 1: page(2) }, commit: 1, at: 9000 });
    await write(3, { pages: { 1: page(3) }, commit: 1, at: 2000 });
    expect([await restored(3000), await restored(9000), await restored()]).toEqual([[1], [3], [3]]);
  });

  test('older than the horizon is not offered', async () => {
    for (const seq of [1, 2, 3]) await write(seq, { pages: { 1: page(seq) }, commit: 1, horizon: seq - 1 });
    expect((await readBackup(source)).oldest).toEqual({ seq: 2, at: 2000 });
  });
});

describe('what is wrong is named', () => {
  const name = (seq: number): string => source.names.name({ kind: 'log', seq });
  const failure = (): Promise<unknown> => readBackup(source).catch(error => error);
  beforeEach(async () => {
    for (const seq of [1, 2, 3]) await write(seq, { pages: { [seq]: page(seq) }, commit: seq });
  });

  test('a missing object, also the last one', async () => {
    const claim: Claim = { chain, instance: '', run: '', seq: 3, at: 0, everyMs: 1000, released: false };
    const place = { kind: 'claim', seq: 0 } as const;
    stored.set(source.names.name(place), (await source.seal.seal(place, encodeClaim(claim))).bytes);
    for (const seq of [1, 2, 3]) {
      const taken = stored.get(name(seq)) as Buffer;
      stored.delete(name(seq));
      expect(await failure()).toMatchObject({ failure: 'missing', object: name(seq) });
      stored.set(name(seq), taken);
    }
    expect(await restored()).toEqual([1, 2, 3]);
  });

  test('a damaged one, one in the place of another, and one of another time', async () => {
    const good = stored.get(name(2)) as Buffer;
    const bad = Buffer.from(good);
    bad[20] = (bad[20] as number) ^ 1;
    stored.set(name(2), bad);
    expect(await failure()).toMatchObject({ failure: 'damaged', object: name(2) });
    stored.set(name(2), stored.get(name(1)) as Buffer);
    expect(await failure()).toMatchObject({ failure: 'damaged', object: name(2) });
    await write(2, { pages: { 2: page(9) }, commit: 2 });
    expect(await failure()).toMatchObject({ failure: 'damaged', object: name(2) });
  });

  test('another secret, and an empty place', async () => {
    const other = { ...source, names: createBackupNames('x'), seal: createBackupSeal('x') };
    expect(await thrownBy(readBackup(other))).toThrow('another HOOKTAPE_SECRET');
    stored.clear();
    expect(await thrownBy(readBackup(other))).toThrow('there is no backup in s3://tapes/x');
  });

  test('for a repair, with the pages that are not certain', async () => {
    await write(4, { pages: { 1: page(9), 2: page(9) }, deltas: [1], commit: 3 });
    stored.delete(name(3));
    expect(await readBackup(source, { repair: true })).toMatchObject({ lost: [3], suspects: [1] });
    stored.delete(name(1));
    const { lost, map } = await readBackup(source, { repair: true });
    expect([lost, map.pages()]).toEqual([[3, 1], 3]);
  });

  test('but not an object that belongs to no state', async () => {
    tip = { seq: 3, tag: tip?.tag ?? '' };
    const before = tip;
    await write(4, { pages: { 1: page(4) }, commit: 3 });
    tip = before;
    database.set(1, page(1));
    await write(5, { pages: { 1: page(5) }, commit: 3 });
    expect(await readBackup(source)).toMatchObject({ orphans: [4], state: { seq: 5 } });
    expect(await restored()).toEqual([5, 2, 3]);
  });
});

test('names tell their place with the secret alone', () => {
  const names = createBackupNames(secret);
  const place = { kind: 'index', seq: 123_456_789 } as const;
  expect(names.read(names.name(place))).toEqual(place);
  expect(createBackupNames('other').read(names.name(place))).toBeUndefined();
  expect([names.read('0'.repeat(32)), names.read('x')]).toEqual([undefined, undefined]);
});

test('a body belongs to its head', async () => {
  const place = { kind: 'log', seq: 1 } as const;
  const [one, two] = await Promise.all([1, 2].map(n => source.seal.seal(place, Uint8Array.of(n), Uint8Array.of(n))));
  if (!one || !two) throw new Error('not sealed');
  const opened = await source.seal.openHead(place, one.bytes);
  if ('needs' in opened) throw new Error('too short');
  expect(await source.seal.openBody(place, one.bytes, opened)).toEqual(Uint8Array.of(1));
  const mixed = Buffer.concat([one.bytes.subarray(0, opened.bodyAt), two.bytes.subarray(opened.bodyAt)]);
  expect(await thrownBy(source.seal.openBody(place, mixed, opened))).toThrow('another secret');
  expect(await source.seal.openHead(place, one.bytes.subarray(0, 20))).toEqual({ needs: opened.bodyAt });
});
