/*
 * `bun scripts/proofs/jobs-kills.ts [EVENTS [KILLS]]`: builds the executable and kills it 50 times while a replay job sends 10,000 GitHub
 * payloads to a handler that counts by delivery id. Then it measures the pace of a job, and how a handler that refuses more than 5 requests
 * a second is spared. Ends with the line `N passed, N failed`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../src/testing/poll.ts';
import { buildExecutable } from '../lib/executable.ts';
import { type JobsWorld, openJobsWorld } from './jobs-world.ts';

const concurrency = 8;
/** Far less than the slowest disk allows: what is measured is the pace, not the machine. */
const pacePerSecond = 20;
const jobTimeoutMs = 600_000;

export type KillsProof = {
  requests: number;
  missing: number;
  /** Requests with a delivery id that had come before the kill, for each kill. */
  doubled: number[];
  kills: number;
};

/** @param kills while the job runs, each after at least one request of the server that was started before it */
export async function proveKills(world: JobsWorld, events: number, kills: number): Promise<KillsProof> {
  /** By delivery id: how many kills there had been when it first came. */
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
    await eventually(() => requests > before, 30_000);
    await Bun.sleep(Math.random() * 100);
    await world.kill();
    doubled[killed++] = 0;
    await world.start();
    // Later kills are of no use: nothing is under way.
    if (firstSeen.size >= events) break;
  }
  await eventually(async () => (await world.job(id)).state === 'done', jobTimeoutMs);
  const { ok } = await world.job(id);
  if (ok !== events) throw new Error(`${ok} of ${events} events are accepted`);
  return { requests, missing: events - firstSeen.size, doubled, kills: killed };
}

/** @returns by how much the time that `count` events took is away from what the pace says: 0.01 is one per cent */
export async function measurePace(world: JobsWorld, where: string, perSecond: number): Promise<number> {
  const times: number[] = [];
  const url = world.handler(() => {
    times.push(performance.now());
    return new Response(null, { status: 204 });
  });
  const { id } = await world.create({ dest: url, where, pace: `${perSecond}/s`, concurrency });
  await eventually(async () => (await world.job(id)).state === 'done', jobTimeoutMs);
  const took = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return Math.abs(took / (((times.length - 1) * 1000) / perSecond) - 1);
}

/** A handler that answers 503 to what is more than 5 in a second. @returns the most that it saw in a second, after the first 3 s */
export async function measureRefusal(world: JobsWorld, where: string): Promise<{ most: number; seen: number }> {
  const times: number[] = [];
  const url = world.handler(() => {
    const now = performance.now();
    const before = times.filter(at => now - at < 1000).length;
    times.push(now);
    return new Response(null, { status: before >= 5 ? 503 : 204 });
  });
  const { id } = await world.create({ dest: url, where, concurrency });
  await eventually(async () => (await world.job(id)).state === 'done', jobTimeoutMs);
  const late = times.filter(at => at - (times[0] ?? 0) > 3000);
  const most = Math.max(0, ...late.map(at => late.filter(other => other > at - 1000 && other <= at).length));
  return { most, seen: late.length };
}

async function main(): Promise<void> {
  const events = Number(process.argv[2] ?? 10_000);
  const kills = Number(process.argv[3] ?? 50);
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-jobs-build-'));
  const failed: string[] = [];
  const check = (isTrue: boolean, text: string): void => {
    console.log(`${isTrue ? 'ok  ' : 'FAIL'}  ${text}`);
    if (!isTrue) failed.push(text);
  };
  let world: JobsWorld | undefined;
  try {
    const outfile = join(directory, 'hooktape');
    await buildExecutable({ outfile });
    world = await openJobsWorld([outfile], events);
    const proof = await proveKills(world, events, kills);
    const most = Math.max(0, ...proof.doubled);
    const all = proof.doubled.reduce((sum, one) => sum + one, 0);
    console.log(
      `${events} events, ${proof.requests} requests, ${proof.kills} kills, ${all} doubled, ${most} at most by one kill`,
    );
    check(proof.kills === kills, `the server was killed ${kills} times while the job ran`);
    check(proof.missing === 0, 'every event arrived at least once');
    check(most <= concurrency, `a kill doubled at most ${concurrency} events`);
    const error = await measurePace(world, 'header.x-github-delivery:delivery-1*', pacePerSecond);
    check(error < 0.02, `the pace of ${pacePerSecond}/s is off by ${(error * 100).toFixed(2)} %`);
    const refusal = await measureRefusal(world, `header.x-github-delivery:delivery-${events < 10_000 ? 1 : 77}*`);
    check(refusal.seen > 50 && refusal.most <= 6, `a handler with a limit of 5/s sees ${refusal.most}/s after 3 s`);
    console.log(`${5 - failed.length} passed, ${failed.length} failed`);
  } finally {
    await world?.close();
    rmSync(directory, { recursive: true, force: true });
  }
  process.exitCode = failed.length === 0 ? 0 : 1;
}

if (import.meta.main) await main();
