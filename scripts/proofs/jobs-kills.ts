/*
 * `bun scripts/proofs/jobs-kills.ts [EVENTS [KILLS [EXECUTABLE [PART]]]]`: builds the executable and kills it 50 times while a replay job
 * sends 10,000 GitHub payloads to a handler that counts by delivery id (kills). Then it measures how exact paces are (paces),
 * and how the job slows down for a handler that rejects more than 5 requests a second (refusal). Ends with the line
 * `N passed, N failed`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../src/testing/poll.ts';
import { buildExecutable } from '../lib/executable.ts';
import { type JobsWorld, openJobsWorld } from './jobs-world.ts';

const concurrency = 8;
/** The rates, each with the prefix of the delivery ids of its events. */
const paces = [
  [5, 'delivery-10'],
  [20, 'delivery-11'],
  [100, 'delivery-1'],
  [500, 'delivery-'],
] as const;
const jobTimeoutMs = 600_000;

export type KillsProof = {
  requests: number;
  missing: number;
  /** For each kill: the requests whose delivery id had already arrived before the kill. */
  doubled: number[];
  kills: number;
};

/** @param kills the number of kills while the job runs, each after at least one request of the restarted server */
export async function proveKills(world: JobsWorld, events: number, kills: number): Promise<KillsProof> {
  /** By delivery id: the number of kills before it first arrived. */
  const firstSeen = new Map<string, number>();
  const doubled: number[] = [];
  let [requests, killed] = [0, 0];
  const url = world.handler(async delivery => {
    requests++;
    const before = firstSeen.get(delivery);
    if (before === undefined) firstSeen.set(delivery, killed);
    else doubled[killed - 1] = (doubled[killed - 1] ?? 0) + 1;
    await Bun.sleep(1 + Math.random() * 4);
    return new Response(null, { status: 204 });
  });
  const { id, matched } = await world.create({ dest: url, concurrency });
  if (matched !== events) throw new Error(`${matched} events instead of ${events}`);
  while (killed < kills) {
    const before = requests;
    await eventually(() => requests > before, jobTimeoutMs);
    await Bun.sleep(Math.random() * 100);
    await world.kill();
    doubled[killed++] = 0;
    await world.start();
    // Later kills have no effect, because no request is in progress.
    if (firstSeen.size >= events) break;
  }
  await world.untilDone(id, jobTimeoutMs);
  const { ok } = await world.job(id);
  if (ok !== events) throw new Error(`${ok} of ${events} events are accepted`);
  return { requests, missing: events - firstSeen.size, doubled, kills: killed };
}

/**
 * Runs a job. @param expectedMs the expected time from the first request to the last @returns the relative error: 0.01 is one
 * per cent
 */
async function measurePace(world: JobsWorld, job: object, expectedMs: (requests: number) => number): Promise<number> {
  const times: number[] = [];
  const dest = world.handler(() => {
    times.push(performance.now());
    return new Response(null, { status: 204 });
  });
  const { id } = await world.create({ dest, concurrency, ...job });
  await world.untilDone(id, jobTimeoutMs);
  return Math.abs(((times.at(-1) ?? 0) - (times[0] ?? 0)) / expectedMs(times.length) - 1);
}

/** @returns the relative error of each pace */
export async function measurePaces(world: JobsWorld): Promise<{ pace: string; error: number }[]> {
  const errors: { pace: string; error: number }[] = [];
  for (const [perSecond, ids] of paces) {
    const job = { where: `header.x-github-delivery:${ids}*`, pace: `${perSecond}/s` };
    const error = await measurePace(world, job, requests => ((requests - 1) * 1000) / perSecond);
    errors.push({ pace: job.pace, error });
  }
  const { endpointId, receivedAt } = world.spaced;
  const takesMs = ((receivedAt.at(-1) ?? 0) - (receivedAt[0] ?? 0)) / 10;
  errors.push({
    pace: 'original*10',
    error: await measurePace(world, { endpointId, pace: 'original*10' }, () => takesMs),
  });
  return errors;
}

/**
 * Uses a handler that returns 503 for requests beyond 5 a second.
 * @returns the most requests in a second, after the first 3 s
 */
export async function measureRefusal(world: JobsWorld, where: string): Promise<{ most: number; seen: number }> {
  const times: number[] = [];
  const url = world.handler(() => {
    const now = performance.now();
    const before = times.filter(at => now - at < 1000).length;
    times.push(now);
    return new Response(null, { status: before >= 5 ? 503 : 204 });
  });
  const { id } = await world.create({ dest: url, where, concurrency });
  await world.untilDone(id, jobTimeoutMs);
  const late = times.filter(at => at - (times[0] ?? 0) > 3000);
  const most = Math.max(0, ...late.map(at => late.filter(other => other > at - 1000 && other <= at).length));
  return { most, seen: late.length };
}

async function main(): Promise<void> {
  const events = Number(process.argv[2] ?? 10_000);
  const kills = Number(process.argv[3] ?? 50);
  const part = process.argv[5];
  const isWanted = (name: string): boolean => part === undefined || part === name;
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-jobs-build-'));
  const failed: string[] = [];
  let checks = 0;
  const check = (isTrue: boolean, text: string): void => {
    checks++;
    console.log(`${isTrue ? 'ok  ' : 'FAIL'}  ${text}`);
    if (!isTrue) failed.push(text);
  };
  let world: JobsWorld | undefined;
  try {
    const outfile = process.argv[4] ?? join(directory, 'hooktape');
    if (!process.argv[4]) await buildExecutable({ outfile });
    world = await openJobsWorld([outfile], events);
    if (isWanted('kills')) {
      const proof = await proveKills(world, events, kills);
      const most = Math.max(0, ...proof.doubled);
      const all = proof.doubled.reduce((sum, one) => sum + one, 0);
      console.log(
        `${events} events, ${proof.requests} requests, ${proof.kills} kills, ${all} doubled, ${most} at most by one kill`,
      );
      check(proof.kills === kills, `the server was killed ${kills} times while the job ran`);
      check(proof.missing === 0, 'every event arrived at least once');
      check(most <= concurrency, `a kill doubled at most ${concurrency} events`);
    }
    if (isWanted('paces'))
      for (const { pace, error } of await measurePaces(world))
        check(error < 0.02, `the pace of ${pace} is off by ${(error * 100).toFixed(2)} %`);
    if (isWanted('refusal')) {
      const refusal = await measureRefusal(world, `header.x-github-delivery:delivery-${events < 10_000 ? 11 : 77}*`);
      check(refusal.seen > 50 && refusal.most <= 6, `a handler with a limit of 5/s sees ${refusal.most}/s after 3 s`);
    }
    console.log(`${checks - failed.length} passed, ${failed.length} failed`);
  } finally {
    await world?.close();
    rmSync(directory, { recursive: true, force: true });
  }
  process.exitCode = failed.length === 0 ? 0 : 1;
}

if (import.meta.main) await main();
