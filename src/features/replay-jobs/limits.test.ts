/* How many replay jobs a team may have. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { maxFinishedJobs, maxUnfinishedJobs } from '../../core/replay/replay-job.ts';
import { rowsOf } from '../../testing/events.ts';
import { type JobBench, numbers, ok, openJobs } from '../../testing/replay-jobs.ts';
import type { ReplayJob } from './model.ts';

let jobs: JobBench;
beforeAll(async () => {
  jobs = await openJobs();
});
afterAll(() => jobs.close());

test('403 for one job more than 20 that are not over, also when many are made at once', async () => {
  const endpoint = await jobs.endpointWith(numbers(1));
  const { url } = jobs.destination(() => new Promise<Response>(() => {}));
  const make = (n: number) =>
    jobs.ada.call('POST', '/api/replay-jobs', { endpointId: endpoint.id, dest: `${url}/${n}` });
  const made = await Promise.all(Array.from({ length: maxUnfinishedJobs + 5 }, (_, n) => make(n)));
  const created = made.filter(({ status }) => status === 202);
  expect([created.length, made.filter(({ status }) => status === 403).length]).toEqual([maxUnfinishedJobs, 5]);
  const [{ id = '' } = {}] = (await Promise.all(created.map(one => one.json()))) as Partial<ReplayJob>[];
  await jobs.ada.json(200, 'POST', `/api/replay-jobs/${id}/pause`);
  expect((await make(100)).status).toBe(403);
  await jobs.ada.json(200, 'POST', `/api/replay-jobs/${id}/cancel`);
  expect((await make(100)).status).toBe(202);
  // Nobody can end the jobs of a deleted endpoint: they do not count.
  await jobs.ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
  const other = await jobs.endpointWith(numbers(1));
  await jobs.until((await jobs.create({ endpointId: other.id, dest: jobs.destination(ok).url })).id, 'done');
});

test('of the jobs that are over, the newest 1,000 are kept', async () => {
  const endpoint = await jobs.endpointWith(numbers(1));
  const { id } = await jobs.create({ endpointId: endpoint.id, dest: jobs.destination(ok).url });
  await jobs.until(id, 'done');
  const columns = `team_id, endpoint, account_id, filter, dest, ignored, compared, concurrency, skip_ok, state, matched, bytes,
    created_at, finished_at`;
  await jobs.server.services.database.client.execute({
    sql: `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?2)
      INSERT INTO replay_jobs (id, ${columns}) SELECT 'newer_' || n, ${columns} FROM n JOIN replay_jobs WHERE id = ?1`,
    args: [id, maxFinishedJobs - 1],
  });
  await jobs.server.services.replayJobs.service.sweep();
  const kept = () => rowsOf(jobs.server, `SELECT count(*), sum(id = '${id}') FROM replay_jobs WHERE state = 'done'`);
  expect(await kept()).toEqual([[maxFinishedJobs, 1]]);
  await jobs.server.services.database.client.execute({
    sql: `INSERT INTO replay_jobs (id, ${columns}) SELECT 'newest', ${columns} FROM replay_jobs WHERE id = ?1`,
    args: [id],
  });
  await jobs.server.services.replayJobs.service.sweep();
  expect(await kept()).toEqual([[maxFinishedJobs, 0]]);
});
