/* How a database thread runs jobs. Statements are tested in thread-handle.test.ts. */
import { describe, expect, test } from 'bun:test';
import type { OpenMessage, ReplyMessage, RequestMessage } from './messages.ts';
import { type LoadJob, serveDatabaseThread, type ThreadScope, type WriterJob } from './thread-server.ts';

/** A database thread in this thread, with a job that records its inputs. */
function setUp(fail?: () => Error | undefined, refused?: string, cpuMs?: () => number) {
  const inputs: unknown[][] = [];
  const replies: ReplyMessage[] = [];
  const transferred: number[] = [];
  const scope: ThreadScope = {
    onmessage: null,
    postMessage: (reply, transfer = []) => {
      replies.push(reply);
      transferred.push(...transfer.map(({ byteLength }) => byteLength));
    },
  };
  const loadJob: LoadJob = async write => {
    const job: WriterJob = async batch => {
      inputs.push(batch);
      const error = fail?.();
      if (error) throw error;
      const results = write(batch.map(input => ({ sql: 'INSERT INTO t VALUES (?)', args: [input as string] })));
      return results.map(({ lastInsertRowid }, i) =>
        batch[i] === refused
          ? { error: Object.assign(new Error('no'), { code: 'ODD' }) }
          : { output: lastInsertRowid, transfer: [] },
      );
    };
    return job;
  };
  serveDatabaseThread(scope, loadJob, cpuMs);
  const send = (data: OpenMessage | RequestMessage): void =>
    scope.onmessage?.({ data } as MessageEvent<OpenMessage | RequestMessage>);
  send({ path: ':memory:', readOnly: false });
  send({ id: 1, kind: 'script', sql: 'CREATE TABLE t (a)' });
  const jobs = (...ids: number[]): void => {
    for (const id of ids) send({ id, kind: 'job', input: `job ${id}` });
  };
  const answers = async (count: number): Promise<ReplyMessage[]> => {
    while (replies.length < count) await new Promise(resolve => setImmediate(resolve));
    return replies;
  };
  return { inputs, send, jobs, answers, transferred };
}

describe('a database thread', () => {
  test('runs the jobs that are waiting together, and answers each', async () => {
    const { inputs, jobs, answers } = setUp();
    jobs(2, 3);
    setImmediate(() => jobs(5));
    jobs(4);
    const replies = await answers(6);
    expect(inputs.flat()).toEqual(['job 2', 'job 3', 'job 4', 'job 5']);
    expect(inputs[0]?.length).toBeGreaterThanOrEqual(3);
    expect(replies.slice(2)).toMatchObject([2, 3, 4, 5].map((id, i) => ({ id, output: BigInt(i + 1) })));
  });

  test('hands large values over, and copies small ones', async () => {
    const { send, answers, transferred } = setUp();
    const sql = 'SELECT zeroblob(1000), zeroblob(300000)';
    send({ id: 2, kind: 'execute', statement: { sql, args: [] } });
    expect((await answers(3))[2]).toMatchObject({ id: 2 });
    expect(transferred).toEqual([300_000]);
  });

  test('keeps the order of jobs and statements', async () => {
    const { inputs, send, jobs, answers } = setUp();
    jobs(2);
    send({ id: 3, kind: 'execute', statement: { sql: 'SELECT count(*) FROM t', args: [] } });
    jobs(4);
    const replies = await answers(5);
    expect(inputs).toEqual([['job 2'], ['job 4']]);
    expect(replies.slice(2)).toMatchObject([{ id: 2 }, { id: 3, results: [{ rows: [[1]] }] }, { id: 4 }]);
  });

  test('that was closed can be opened again, and its jobs write to the new database', async () => {
    const { send, jobs, answers } = setUp();
    jobs(2, 3);
    send({ id: 4, kind: 'close' });
    send({ path: ':memory:', readOnly: false });
    send({ id: 5, kind: 'script', sql: 'CREATE TABLE t (a)' });
    jobs(6);
    const replies = await answers(8);
    expect(replies.slice(4)).toMatchObject([{ id: 4 }, { kind: 'ready' }, { id: 5 }, { id: 6, output: 1n }]);
  });

  test('answers the other jobs when one fails', async () => {
    const { jobs, answers } = setUp(undefined, 'job 3');
    jobs(2, 3, 4);
    const replies = await answers(5);
    expect(replies.slice(2)).toContainEqual(
      expect.objectContaining({ id: 3, error: expect.objectContaining({ code: 'ODD' }) }),
    );
    expect(replies.slice(2).filter(reply => 'output' in reply)).toHaveLength(2);
  });

  test('reports the processor time of a request as its work, or a twentieth of the elapsed time if that is more', async () => {
    let used = 0;
    const work = async (msPerCall: number): Promise<number> => {
      const { answers } = setUp(undefined, undefined, () => {
        used += msPerCall;
        return used;
      });
      const [, reply] = await answers(2);
      return reply && 'ms' in reply ? reply.ms : Number.NaN;
    };
    expect(await work(60_000)).toBe(60_000);
    const startedAt = performance.now();
    const waited = await work(0);
    expect(waited).toBeGreaterThan(0);
    expect(waited).toBeLessThan((performance.now() - startedAt) / 19);
  });

  test('fails every job of a batch that throws, and runs the next one', async () => {
    let fails = true;
    const { jobs, answers } = setUp(() => (fails ? Object.assign(new Error('no'), { code: 'ODD' }) : undefined));
    jobs(2, 3);
    await answers(4);
    fails = false;
    jobs(4);
    expect((await answers(5)).slice(2)).toMatchObject([
      { id: 2, error: { message: 'no', code: 'ODD' } },
      { id: 3, error: { message: 'no', code: 'ODD' } },
      { id: 4, output: 1n },
    ]);
  });
});

test('a job is loaded when the first one runs, and again after a failure', async () => {
  const replies: ReplyMessage[] = [];
  const scope: ThreadScope = { onmessage: null, postMessage: reply => void replies.push(reply) };
  let loads = 0;
  serveDatabaseThread(scope, async () => {
    if (++loads === 1) throw new Error('the chunk could not be read');
    return async inputs => inputs.map(output => ({ output, transfer: [] }));
  });
  const ask = async (data: OpenMessage | RequestMessage): Promise<ReplyMessage | undefined> => {
    const before = replies.length;
    scope.onmessage?.({ data } as MessageEvent<OpenMessage | RequestMessage>);
    while (replies.length === before) await new Promise(resolve => setImmediate(resolve));
    return replies.at(-1);
  };
  await ask({ path: ':memory:', readOnly: false });
  await ask({ id: 1, kind: 'script', sql: 'SELECT 1' });
  expect(loads).toBe(0);
  expect(await ask({ id: 2, kind: 'job', input: 'a' })).toMatchObject({
    id: 2,
    error: { message: 'the chunk could not be read' },
  });
  expect(await ask({ id: 3, kind: 'job', input: 'b' })).toMatchObject({ id: 3, output: 'b' });
  expect(await ask({ id: 4, kind: 'job', input: 'c' })).toMatchObject({ id: 4, output: 'c' });
  expect(loads).toBe(2);
});

test.each([
  ['SQLITE_IOERR', 5000],
  ['SQLITE_CORRUPT', 5000],
  ['SQLITE_CONSTRAINT', 7],
])('after %s the connection is replaced only if it may hold misread pages', async (code, busyTimeoutMs) => {
  const { send, jobs, answers } = setUp(() => Object.assign(new Error('no'), { code }));
  send({ id: 2, kind: 'script', sql: 'PRAGMA busy_timeout = 7' });
  jobs(3);
  send({ id: 4, kind: 'execute', statement: { sql: 'PRAGMA busy_timeout', args: [] } });
  expect((await answers(5)).slice(3)).toMatchObject([
    { id: 3, error: { code } },
    { id: 4, results: [{ rows: [[busyTimeoutMs]] }] },
  ]);
});
