/* How a database thread runs the jobs that are sent to it. What it does with statements is in thread.test.ts. */
import { describe, expect, test } from 'bun:test';
import type { OpenMessage, ReplyMessage, RequestMessage } from './messages.ts';
import { serveDatabaseThread, type ThreadScope, type WriterJob } from './thread-server.ts';

/** A thread's scope, here, with a job that says what it was given. */
function setUp(fail?: () => Error | undefined, refused?: string) {
  const given: unknown[][] = [];
  const replies: ReplyMessage[] = [];
  const scope: ThreadScope = { onmessage: null, postMessage: reply => replies.push(reply) };
  serveDatabaseThread(scope, async write => {
    const job: WriterJob = async inputs => {
      given.push(inputs);
      const error = fail?.();
      if (error) throw error;
      const results = write(inputs.map(input => ({ sql: 'INSERT INTO t VALUES (?)', args: [input as string] })));
      return results.map(({ lastInsertRowid }, i) =>
        inputs[i] === refused
          ? { error: Object.assign(new Error('no'), { code: 'ODD' }) }
          : { output: lastInsertRowid, transfer: [] },
      );
    };
    return job;
  });
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
  return { given, send, jobs, answers };
}

describe('jobs', () => {
  test('that have come by the time one of them runs are run together, and each has its answer', async () => {
    const { given, jobs, answers } = setUp();
    jobs(2, 3);
    setImmediate(() => jobs(5));
    jobs(4);
    const replies = await answers(6);
    expect(given.flat()).toEqual(['job 2', 'job 3', 'job 4', 'job 5']);
    expect(given[0]?.length).toBeGreaterThanOrEqual(3);
    expect(replies.slice(2)).toMatchObject([2, 3, 4, 5].map((id, i) => ({ id, output: BigInt(i + 1) })));
  });

  test('do not overtake a statement, nor fall behind one', async () => {
    const { given, send, jobs, answers } = setUp();
    jobs(2);
    send({ id: 3, kind: 'execute', statement: { sql: 'SELECT count(*) FROM t', args: [] } });
    jobs(4);
    const replies = await answers(5);
    expect(given).toEqual([['job 2'], ['job 4']]);
    expect(replies.slice(2)).toMatchObject([{ id: 2 }, { id: 3, results: [{ rows: [[1]] }] }, { id: 4 }]);
  });

  test('each have an answer of their own when only one fails', async () => {
    const { jobs, answers } = setUp(undefined, 'job 3');
    jobs(2, 3, 4);
    const replies = await answers(5);
    expect(replies.slice(2)).toContainEqual(
      expect.objectContaining({ id: 3, error: expect.objectContaining({ code: 'ODD' }) }),
    );
    expect(replies.slice(2).filter(reply => 'output' in reply)).toHaveLength(2);
  });

  test('that fail together fail each, and the next ones are run', async () => {
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

test.each([
  ['SQLITE_IOERR', 5000],
  ['SQLITE_CORRUPT', 5000],
  ['SQLITE_CONSTRAINT', 7],
])('after %s the connection is another one only where it may have misread something', async (code, patienceMs) => {
  const { send, jobs, answers } = setUp(() => Object.assign(new Error('no'), { code }));
  send({ id: 2, kind: 'script', sql: 'PRAGMA busy_timeout = 7' });
  jobs(3);
  send({ id: 4, kind: 'execute', statement: { sql: 'PRAGMA busy_timeout', args: [] } });
  expect((await answers(5)).slice(3)).toMatchObject([
    { id: 3, error: { code } },
    { id: 4, results: [{ rows: [[patienceMs]] }] },
  ]);
});
