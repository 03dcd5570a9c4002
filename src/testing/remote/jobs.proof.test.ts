/* Replay jobs of two processes on one libSQL server: each event goes once, and one process takes over when the other is killed. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { ReplayJob } from '../../features/replay-jobs/model.ts';
import { eventually } from '../poll.ts';
import type { TestAccount, TestServer } from '../test-server.ts';
import { noLibsqlServer } from './libsql-server.ts';
import { type Arrival, openProcesses, type Processes } from './processes.ts';

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

const distinct = (arrivals: readonly Arrival[]): number => new Set(arrivals.map(({ seq }) => seq)).size;
/** @param count fewer than 256: that many requests Bun has open at once, and the deliveries wait for those to the database */
const capture = async (server: TestServer, account: TestAccount, count: number): Promise<string> => {
  const endpoint = await account.createEndpoint();
  await Promise.all(Array.from({ length: count }, () => server.deliver(endpoint, '{"lane":0}')));
  return endpoint.id;
};
/** Replay jobs through the API of one process. */
const jobsThrough = (fetchFrom: Fetch, { key }: TestAccount) => {
  const request = async (method: string, path: string, body?: object): Promise<ReplayJob> => {
    const response = await fetchFrom(`/api/replay-jobs${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as ReplayJob;
  };
  return {
    create: (body: object) => request('POST', '', body),
    read: ({ id }: ReplayJob) => request('GET', `/${id}`),
    pause: ({ id }: ReplayJob) => request('POST', `/${id}/pause`),
    resume: ({ id }: ReplayJob) => request('POST', `/${id}/resume`),
  };
};

describe.skipIf(noLibsqlServer !== undefined)('replay jobs of two processes on one libSQL server', () => {
  let processes: Processes;
  beforeEach(async () => {
    processes = await openProcesses();
  }, 120_000);
  afterEach(() => processes.close());

  test('that both take jobs: each event of each job once', async () => {
    const [one, two] = [await processes.open(), await processes.open()];
    const ada = await one.createAccount();
    const count = 40;
    const endpointId = await capture(one, ada, count);
    const sides = [jobsThrough(one.fetch, ada), jobsThrough(two.fetch, ada)];
    const targets = Array.from({ length: 6 }, () => processes.destination());
    const jobs = await Promise.all(
      targets.map(({ url }, i) => sides[i % 2]?.create({ endpointId, dest: url, concurrency: 4 })),
    );
    for (const job of jobs) {
      await eventually(async () => job && (await sides[0]?.read(job))?.state === 'done', 30_000);
      expect(job && (await sides[1]?.read(job))).toMatchObject({ ok: count, failed: 0, skipped: 0 });
    }
    for (const { arrivals } of targets) expect([arrivals.length, distinct(arrivals)]).toEqual([count, count]);
  }, 120_000);

  test('one pauses a job of the other, and resumes it: each event once', async () => {
    const [one, two] = [await processes.open(), await processes.open()];
    const ada = await one.createAccount();
    const count = 100;
    const endpointId = await capture(one, ada, count);
    const { url, arrivals } = processes.destination();
    const [mine, other] = [jobsThrough(one.fetch, ada), jobsThrough(two.fetch, ada)];
    const job = await mine.create({ endpointId, dest: url, pace: '5/s' });
    await eventually(() => arrivals.length > 3, 20_000);
    expect((await other.pause(job)).state).toBe('paused');
    // The first one hears of it with its next sign of life.
    await eventually(async () => {
      const before = arrivals.length;
      await Bun.sleep(1500);
      return arrivals.length === before;
    }, 120_000);
    const sent = arrivals.length;
    expect(sent).toBeLessThan(count);
    expect(await other.read(job)).toMatchObject({ state: 'paused', ok: sent });
    await other.resume(job);
    await eventually(() => arrivals.length > sent + 3, 20_000);
    expect(distinct(arrivals)).toBe(arrivals.length);
  }, 120_000);

  test('of which one is killed while it sends: the other goes on within 10 s, and only what was under way is sent again', async () => {
    const [count, answered, concurrency] = [40, 10, 4];
    let aheadMs = 0;
    // The destination answers ten times, and then no more until the kill.
    const released = Promise.withResolvers<void>();
    const { url, arrivals } = processes.destination(n => (n > answered ? released.promise : undefined));
    const first = await processes.open();
    const ada = await first.createAccount();
    const endpointId = await capture(first, ada, count);
    await first.close();

    const killed = await processes.start();
    const job = await jobsThrough((path, init) => fetch(`${killed.origin}${path}`, init), ada).create({
      endpointId,
      dest: url,
      concurrency,
    });
    await eventually(() => arrivals.length === answered + concurrency, 20_000);
    const two = await processes.open(() => aheadMs);
    const jobs = jobsThrough(two.fetch, ada);
    await killed.kill();
    released.resolve();
    const step = async (ms: number): Promise<void> => {
      aheadMs += ms;
      two.services.queues.wake('replay', job.id);
      await two.services.queues.idle();
    };
    await step(2000);
    expect(arrivals.length).toBe(answered + concurrency);
    await eventually(async () => {
      await step(1000);
      return (await jobs.read(job)).state === 'done';
    }, 120_000);
    expect(await jobs.read(job)).toMatchObject({ ok: count, failed: 0, skipped: 0 });
    expect(distinct(arrivals)).toBe(count);
    // The answer to the tenth may not have been written either.
    expect(arrivals.length).toBeLessThanOrEqual(count + 2 * concurrency);
  }, 120_000);
});
