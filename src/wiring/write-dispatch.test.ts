/* The two ways of a group to the disk: prepared in the writer thread, or here while that one is busy. */
import { describe, expect, test } from 'bun:test';
import type { InValue } from '@libsql/client';
import { toFieldLines } from '../core/headers.ts';
import { nonceBytes } from '../core/ids.ts';
import { signatureWords } from '../core/search-signature.ts';
import type { StoredBatch } from '../ingest/batch-writer.ts';
import type { DeliveryBatch, WriteBatch } from '../ingest/capture.ts';
import type { Delivery } from '../ingest/encoded-batch.ts';
import { rowErrorCode } from '../ingest/group-commit.ts';
import { type WriteJob, writeInThread } from './write-dispatch.ts';
import { createWriterJob } from './writer-job.ts';

/** How many numbers go with each event; its bytes are the statement's last argument. */
const numbers = 16;
const rowsOf = (args: readonly InValue[]): number => (args.length - 1) / numbers;

/** A writer that records the arguments of each insert. Each job is a commit of its own unless jobs are held. */
function setUp() {
  const commits: InValue[][][] = [];
  const jobs: WriteJob[] = [];
  let rows = 0;
  const run = createWriterJob(statements => {
    const inserts = statements.filter(({ sql }) => sql.startsWith('INSERT'));
    if (inserts.some(({ args }) => Buffer.from((args as InValue[]).at(-1) as Uint8Array).includes('BAD')))
      throw Object.assign(new Error('no'), { code: 'SQLITE_CONSTRAINT' });
    commits.push(inserts.map(({ args }) => (args as InValue[]).map(copied)));
    return statements.map(({ sql, args }) => {
      if (sql.startsWith('INSERT')) rows += rowsOf(args as InValue[]);
      return { columns: [], columnTypes: [], rows: [], rowsAffected: 1, lastInsertRowid: BigInt(rows) };
    });
  });
  const record = writeInThread(async (input, transfer) => {
    jobs.push(input as WriteJob);
    // As a message does it: what is handed over is the other side's alone.
    const [result] = await run([structuredClone(input, { transfer })]);
    if (!result || 'error' in result) throw result?.error;
    return structuredClone(result.output, { transfer: result.transfer });
  });
  /** The jobs that groups become which are sent one after the other without waiting. */
  const kept = async (groups: Partial<Delivery>[][]): Promise<WriteJob[]> => {
    const all: WriteJob[] = [];
    const never = Promise.withResolvers<never>();
    const keeping = writeInThread(async input => {
      all.push(input as WriteJob);
      return never.promise;
    });
    const failed = groups.map(given => keeping(group(given)).catch(() => {}));
    never.reject(new Error('kept'));
    await Promise.all(failed);
    return all;
  };
  const ways = (): string[] => jobs.map(job => ('rows' in job ? 'here' : 'writer'));
  return { record, run, commits, ways, kept };
}

const copied = (value: InValue): InValue => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value);

const group = (given: Partial<Delivery & { text: string }>[], changes: Partial<DeliveryBatch> = {}): DeliveryBatch => ({
  deliveries: given.map(({ text = '{"a":1}', ...rest }, i) => ({
    destination: { seq: 1 + (i % 2), url: 'https://hooks.example/in/t', secrets: [] },
    delivery: {
      method: 'POST',
      path: '/p',
      query: 'q',
      fields: toFieldLines(['X-GitHub-Event', 'push', 'X-V', '\xe9 : "']),
      body: new TextEncoder().encode(text),
      sourceIp: '127.0.0.1',
      receivedAt: 1000 + i,
      ...rest,
    },
  })),
  nonces: Uint8Array.from({ length: given.length * nonceBytes }, (_, i) => i),
  withSignatures: true,
  ...changes,
});

/** Runs what is given while another group is on its way. */
async function behind<T>(record: WriteBatch, run: () => Promise<T>): Promise<T> {
  const ahead = record(group([{}]));
  const result = await run();
  await ahead;
  return result;
}

describe('a group', () => {
  test('is stored and answered the same, whichever thread encodes it', async () => {
    const { record, commits, ways } = setUp();
    const given = [
      {},
      { text: '{"type":"url_verification","challenge":"abc","token":"t"}', fields: toFieldLines(['A', 'b']) },
      { text: 'x'.repeat(1000), query: null, fields: toFieldLines(['X-GitHub-Event', 'issues']) },
      { body: Uint8Array.from({ length: 256 }, (_, i) => i) },
    ];
    const inWriter = await record(group(given));
    const here = await behind(record, () => record(group(given)));
    expect(ways()).toEqual(['writer', 'writer', 'here']);
    expect(commits[0]).toEqual(commits[2] as InValue[][]);
    expect(commits[0]?.map(rowsOf)).toEqual([4]);
    const [a, b] = [inWriter, here].map(({ commit, first, ...findings }) => ({ ...findings, rows: commit?.rows }));
    expect(a).toEqual(b as NonNullable<typeof b>);
    expect(inWriter.eventTypes).toEqual(['push', 'url_verification', 'issues', 'push']);
    expect(inWriter.answers.map(([at]) => at)).toEqual([1]);
    expect([inWriter.first, here.first]).toEqual([1, 6]);
  });

  test('is prepared here every other time while the writer is busy, and never when it is large', async () => {
    const { record, ways } = setUp();
    const large = { text: 'x'.repeat(200_000) };
    await Promise.all([[{}], [{}], [{}], [{}], [{}], [large], [{}]].map(given => record(group(given))));
    await record(group([{}]));
    expect(ways()).toEqual(['writer', 'here', 'writer', 'here', 'writer', 'writer', 'here', 'writer']);
  });

  test('signs only when that is wanted', async () => {
    const { record } = setUp();
    const unsigned = () => record(group([{}], { withSignatures: false }));
    expect([(await unsigned()).signatures, (await behind(record, unsigned)).signatures]).toEqual([null, null]);
    expect((await record(group([{}, {}]))).signatures?.length).toBe(2 * signatureWords);
  });

  test.each(['in the writer', 'here'])('that cannot be prepared %s is told as one of a bad row', async where => {
    const { record, commits } = setUp();
    // Not the lines of header fields.
    const bad = () => record(group([{}, { fields: Buffer.from('x') }])).catch(error => error);
    const before = where === 'here' ? 1 : 0;
    expect(await (where === 'here' ? behind(record, bad) : bad())).toMatchObject({ code: rowErrorCode });
    expect(commits).toHaveLength(before);
    expect(await record(group([{}]))).toMatchObject({ first: before + 1 });
  });
});

describe('the writer', () => {
  test('makes one commit of what waits, and fails only what is bad of it', async () => {
    const { record, run, commits, kept } = setUp();
    const jobs = await kept([[{}], [{}, {}], [{}, { fields: Buffer.from('x') }], [{ method: 'BAD' }]]);
    const results = await run(jobs);
    expect(results.map(one => ('error' in one ? (one.error as { code: string }).code : one.output))).toEqual([
      expect.objectContaining({ first: 1 }),
      expect.objectContaining({ first: 2, prepared: null }),
      rowErrorCode,
      'SQLITE_CONSTRAINT',
    ]);
    expect(commits.map(inserts => inserts.map(rowsOf))).toEqual([[1], [2]]);
    expect(await record(group([{}]))).toMatchObject({ first: 4 });
  });

  test('returns the first row number of each batch in a commit', async () => {
    const { run, commits, kept } = setUp();
    const results = await run(await kept([[{}, {}, {}], [{}], [{}, {}], [{}]]));
    expect(results.map(one => 'output' in one && (one.output as StoredBatch).first)).toEqual([1, 4, 5, 7]);
    expect(results.map(one => 'output' in one && (one.output as StoredBatch).commit?.rows)).toEqual([
      7,
      undefined,
      undefined,
      undefined,
    ]);
    expect(commits.map(inserts => inserts.map(rowsOf))).toEqual([[3, 1, 2, 1]]);
  });

  test('stores nothing when nothing could be prepared', async () => {
    const { run, commits } = setUp();
    const parcel = { text: 'no JSON', bytes: new ArrayBuffer(0) };
    expect(await run([{ parcel, signed: false }])).toEqual([{ error: expect.any(SyntaxError) }]);
    expect(commits).toEqual([]);
  });
});
