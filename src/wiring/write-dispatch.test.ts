/* A batch is encoded in the writer thread, or in the main thread while the writer is busy. Both give the same rows. */
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

/** Numeric arguments of the insert for each event. The bytes of all events are its last argument. */
const numbersPerEvent = 17;
const rowsOf = (args: readonly InValue[]): number => (args.length - 1) / numbersPerEvent;

/** A writer that records the arguments of each insert. Each job has its own commit, except through `jobsFor` and `run`. */
function setUp() {
  const commits: InValue[][][] = [];
  const jobs: WriteJob[] = [];
  let rows = 0;
  const run = createWriterJob(statements => {
    const inserts = statements.filter(({ sql }) => sql.startsWith('INSERT'));
    if (inserts.some(({ args }) => Buffer.from((args as InValue[]).at(-1) as Uint8Array).includes('BAD')))
      throw Object.assign(new Error('no'), { code: 'SQLITE_CONSTRAINT' });
    commits.push(inserts.map(({ args }) => (args as InValue[]).map(copyOf)));
    return statements.map(({ sql, args }) => {
      if (sql.startsWith('INSERT')) rows += rowsOf(args as InValue[]);
      return { columns: [], columnTypes: [], rows: [], rowsAffected: 1, lastInsertRowid: BigInt(rows) };
    });
  });
  const record = writeInThread(async (input, transfer) => {
    jobs.push(input as WriteJob);
    // Like a message between threads: transferred buffers are detached on this side.
    const [result] = await run([structuredClone(input, { transfer })]);
    if (!result || 'error' in result) throw result?.error;
    return structuredClone(result.output, { transfer: result.transfer });
  });
  /** The jobs for batches that are written without waiting for each other. */
  const jobsFor = async (batches: Partial<Delivery>[][]): Promise<WriteJob[]> => {
    const captured: WriteJob[] = [];
    const never = Promise.withResolvers<never>();
    const write = writeInThread(async input => {
      captured.push(input as WriteJob);
      return never.promise;
    });
    const failed = batches.map(given => write(batchOf(given)).catch(() => {}));
    never.reject(new Error('captured'));
    await Promise.all(failed);
    return captured;
  };
  const encodedIn = (): string[] => jobs.map(job => ('rows' in job ? 'main' : 'writer'));
  return { record, run, commits, encodedIn, jobsFor };
}

const copyOf = (value: InValue): InValue => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value);

const batchOf = (
  given: Partial<Delivery & { text: string }>[],
  changes: Partial<DeliveryBatch> = {},
): DeliveryBatch => ({
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

/** Calls `run` while another batch is being written. */
async function whileBusy<T>(record: WriteBatch, run: () => Promise<T>): Promise<T> {
  const earlier = record(batchOf([{}]));
  const result = await run();
  await earlier;
  return result;
}

describe('a batch', () => {
  test('is stored and answered the same, whichever thread encodes it', async () => {
    const { record, commits, encodedIn } = setUp();
    const given = [
      {},
      { text: '{"type":"url_verification","challenge":"abc","token":"t"}', fields: toFieldLines(['A', 'b']) },
      { text: 'x'.repeat(1000), query: null, fields: toFieldLines(['X-GitHub-Event', 'issues']) },
      { body: Uint8Array.from({ length: 256 }, (_, i) => i) },
    ];
    const inWriter = await record(batchOf(given));
    const inMain = await whileBusy(record, () => record(batchOf(given)));
    expect(encodedIn()).toEqual(['writer', 'writer', 'main']);
    expect(commits[0]).toEqual(commits[2] as InValue[][]);
    expect(commits[0]?.map(rowsOf)).toEqual([4]);
    const [a, b] = [inWriter, inMain].map(({ commit, first, ...results }) => ({ ...results, rows: commit?.rows }));
    expect(a).toEqual(b as NonNullable<typeof b>);
    expect(inWriter.eventTypes).toEqual(['push', 'url_verification', 'issues', 'push']);
    expect(inWriter.answers.map(([at]) => at)).toEqual([1]);
    expect([inWriter.first, inMain.first]).toEqual([1, 6]);
  });

  test('is encoded in the main thread every other time while the writer is busy, and never when it is large', async () => {
    const { record, encodedIn } = setUp();
    const large = { text: 'x'.repeat(200_000) };
    await Promise.all([[{}], [{}], [{}], [{}], [{}], [large], [{}]].map(given => record(batchOf(given))));
    await record(batchOf([{}]));
    expect(encodedIn()).toEqual(['writer', 'main', 'writer', 'main', 'writer', 'writer', 'main', 'writer']);
  });

  test('gets search signatures only when they are requested', async () => {
    const { record } = setUp();
    const unsigned = () => record(batchOf([{}], { withSignatures: false }));
    expect([(await unsigned()).signatures, (await whileBusy(record, unsigned)).signatures]).toEqual([null, null]);
    expect((await record(batchOf([{}, {}]))).signatures?.length).toBe(2 * signatureWords);
  });

  test.each(['writer', 'main'])(
    'that the %s thread cannot encode is reported with the row error code',
    async thread => {
      const { record, commits } = setUp();
      // These bytes are not header field lines.
      const bad = () => record(batchOf([{}, { fields: Buffer.from('x') }])).catch(error => error);
      const before = thread === 'main' ? 1 : 0;
      expect(await (thread === 'main' ? whileBusy(record, bad) : bad())).toMatchObject({ code: rowErrorCode });
      expect(commits).toHaveLength(before);
      expect(await record(batchOf([{}]))).toMatchObject({ first: before + 1 });
    },
  );
});

describe('the writer', () => {
  test('stores waiting batches in one commit; a batch that cannot be stored does not fail the others', async () => {
    const { record, run, commits, jobsFor } = setUp();
    const jobs = await jobsFor([[{}], [{}, {}], [{}, { fields: Buffer.from('x') }], [{ method: 'BAD' }]]);
    const results = await run(jobs);
    expect(results.map(one => ('error' in one ? (one.error as { code: string }).code : one.output))).toEqual([
      expect.objectContaining({ first: 1 }),
      expect.objectContaining({ first: 2, encoded: null }),
      rowErrorCode,
      'SQLITE_CONSTRAINT',
    ]);
    expect(commits.map(inserts => inserts.map(rowsOf))).toEqual([[1], [2]]);
    expect(await record(batchOf([{}]))).toMatchObject({ first: 4 });
  });

  test('returns the first row number of each batch in a commit', async () => {
    const { run, commits, jobsFor } = setUp();
    const results = await run(await jobsFor([[{}, {}, {}], [{}], [{}, {}], [{}]]));
    expect(results.map(one => 'output' in one && (one.output as StoredBatch).first)).toEqual([1, 4, 5, 7]);
    expect(results.map(one => 'output' in one && (one.output as StoredBatch).commit?.rows)).toEqual([
      7,
      undefined,
      undefined,
      undefined,
    ]);
    expect(commits.map(inserts => inserts.map(rowsOf))).toEqual([[3, 1, 2, 1]]);
  });

  test('stores nothing when no batch could be encoded', async () => {
    const { run, commits } = setUp();
    const batch = { text: 'no JSON', bytes: new ArrayBuffer(0) };
    expect(await run([{ batch, withSignatures: false }])).toEqual([{ error: expect.any(SyntaxError) }]);
    expect(commits).toEqual([]);
  });
});
