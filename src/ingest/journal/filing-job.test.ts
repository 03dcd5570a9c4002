/* Groups of the journal are stored as rows: each event once, under its own row number, after any earlier failure. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { InStatement } from '@libsql/client';
import { openTestServer, randomBytes, type TestServer } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createJournalEncoder } from '../../wiring/encoders.ts';
import { createCaptureStore, lastSeqSql, packRows } from '../store.ts';
import type { FilingJob } from './filing.ts';
import { createFilingJob } from './filing-job.ts';
import { type GroupRun, runOf } from './filing-slot.ts';
import type { JournalEntry } from './group.ts';
import { createJournal, type Journal } from './journal.ts';
import { createSegmentFiles } from './segment-files.ts';

let server: TestServer;
let journal: Journal;
/** Makes a transaction fail before or after it reaches the database. */
let failure: { when: 'before' | 'after'; error: Error } | undefined;
let file: ReturnType<typeof createFilingJob>;
/** Directories that were synced. */
let syncedDirectories: string[];

beforeEach(async () => {
  server = await openTestServer();
  syncedDirectories = [];
  failure = undefined;
  const directory = join(server.directory, 'journal');
  mkdirSync(directory);
  const files = createSegmentFiles({
    directory,
    databaseId: new Uint8Array(16),
    segmentBytes: 1 << 16,
    random: randomBytes,
  });
  journal = createJournal({ files, nextGroup: 1, unfiled: [] });
  const { client } = server.services.database;
  const { insert } = createCaptureStore(async statements => {
    const failing = failure;
    failure = undefined;
    if (failing?.when === 'before') throw failing.error;
    const results = await client.batch(statements as InStatement[], 'write');
    if (failing) throw failing.error;
    return results;
  });
  file = createFilingJob({
    insert,
    filedSeq: async () => Number((await client.execute(lastSeqSql)).rows[0]?.[0] ?? 0),
    encode: createJournalEncoder(),
    syncNames: async synced => void syncedDirectories.push(synced),
  });
});
afterEach(() => server.close());

const encode = createJournalEncoder();
const entry = (method: string): JournalEntry => ({
  endpoint: 1,
  platforms: [],
  delivery: {
    method,
    path: '',
    query: null,
    fields: Buffer.from('X-GitHub-Event: push\r\nUser-Agent: GitHub-Hookshot/1\r\nX-Hub-Signature-256: sha256=0\r\n'),
    body: Buffer.from('{}'),
    sourceIp: '10.0.0.1',
    receivedAt: 1000,
  },
  recognition: null,
});
const append = async (first: number, ...methods: string[]): Promise<{ run: GroupRun }> => ({
  run: runOf(await journal.append(methods.map(entry), randomBytes(12 * methods.length), first)),
});
const job = (work: FilingJob['work'], isRetry = false): FilingJob => ({ work, isRetry });
const stored = async () =>
  (await server.services.database.client.execute('SELECT seq, method, event_type FROM events ORDER BY seq')).rows.map(
    row => [row[0], row[1], row[2]],
  );
const refuseBad = () =>
  server.services.database.client.execute(
    "CREATE TRIGGER no_bad BEFORE INSERT ON events WHEN NEW.method = 'BAD' BEGIN SELECT RAISE(ABORT, 'bad'); END",
  );

test('groups are recognised and stored in one transaction, under their reserved row numbers', async () => {
  const work = [await append(3, 'A', 'B'), await append(5, 'C'), await append(9, 'D')];
  expect(await file(job(work))).toEqual({ damaged: [], setAside: [], refused: [] });
  expect(await stored()).toEqual([
    [3, 'A', 'push'],
    [4, 'B', 'push'],
    [5, 'C', 'push'],
    [9, 'D', 'push'],
  ]);
});

test.each(['before', 'after'] as const)(
  'a retry stores each event once when the first try failed %s the commit',
  async when => {
    const work = [await append(1, 'A', 'B'), await append(3, 'C')];
    failure = { when, error: Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' }) };
    expect(await thrownBy(file(job(work)))).toThrow('disk I/O error');
    await file(job([...work, await append(4, 'D')], true));
    expect((await stored()).map(([seq, method]) => [seq, method])).toEqual([
      [1, 'A'],
      [2, 'B'],
      [3, 'C'],
      [4, 'D'],
    ]);
  },
);

test('a group that is damaged on disk is reported, and the others are stored', async () => {
  const work = [await append(1, 'A'), await append(2, 'B'), await append(3, 'C')];
  const { path, offset } = work[1]?.run ?? { path: '', offset: 0 };
  writeSync(openSync(path, 'r+'), 'x', offset + 100);
  expect((await file(job(work))).damaged.map(({ first }) => first)).toEqual([2]);
  expect((await stored()).map(([seq]) => seq)).toEqual([1, 3]);
});

test('of groups that lie one after another, only those are reported that are damaged on disk', async () => {
  const runs = [await append(1, 'A'), await append(2, 'B', 'C'), await append(4, 'D')].map(({ run }) => run);
  const [{ path, offset, first } = { path: '', offset: 0, first: 0 }, second] = runs;
  const run = { path, offset, first, bytes: runs.flatMap(one => one.bytes), rows: [1, 2, 1] };
  expect(second?.offset).toBe(offset + (run.bytes[0] ?? 0));
  // Its size cannot be read from the disk any more.
  writeSync(openSync(path, 'r+'), Buffer.alloc(64), 0, 64, second?.offset ?? 0);
  const { damaged } = await file(job([{ run }]));
  expect(damaged).toEqual([{ path, offset: second?.offset ?? 0, bytes: run.bytes[1] ?? 0, first: 2, count: 2 }]);
  expect((await stored()).map(([seq]) => seq)).toEqual([1, 4]);
});

test('a delivery that the database refuses is kept completely in a file, and the others are stored', async () => {
  await refuseBad();
  const { setAside } = await file(job([await append(1, 'A', 'BAD', 'C'), await append(4, 'D')]));
  expect((await stored()).map(([seq, method]) => [seq, method])).toEqual([
    [1, 'A'],
    [3, 'C'],
    [4, 'D'],
  ]);
  expect(setAside.map(({ seq }) => seq)).toEqual([2]);
  expect(syncedDirectories).toEqual([join(server.directory, 'journal')]);
  const kept = JSON.parse(readFileSync(setAside[0]?.path ?? '', 'utf8'));
  expect([kept.endpoint, kept.delivery.method, atob(kept.delivery.body), kept.error.message]).toEqual([
    1,
    'BAD',
    '{}',
    expect.stringContaining('bad'),
  ]);
});

test('refused rows of an import are reported to it', async () => {
  await refuseBad();
  const rows = packRows(encode([entry('BAD')], randomBytes(12)), 2);
  const report = await file(job([await append(1, 'A'), { rows, first: 2 }, await append(3, 'C')]));
  expect(report.refused.map(({ index }) => index)).toEqual([1]);
  expect((await stored()).map(([seq]) => seq)).toEqual([1, 3]);
});
