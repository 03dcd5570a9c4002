/*
 * Simulates a power cut at hundreds of moments of a recorded run under load. For each moment the data directory is rebuilt twice: with
 * only the synced data, and with a random part of the unsynced data and one torn write. The program must start on both and have every
 * delivery that was acknowledged before.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Checks, ensure } from '../lib/checks.ts';
import { createDiskModel, type DiskModel } from './power-cut/disk-model.ts';
import { onlySynced, type Survival, sectorBytes } from './power-cut/disk-nodes.ts';
import { type Recording, record } from './power-cut/recording.ts';
import { type Expectation, recover } from './power-cut/recovery.ts';
import { type Call, readTrace, type Step } from './power-cut/trace.ts';

export type PowerCutOptions = { points: number; seed: number; loadMs?: number };

type Acknowledged = { ids: Set<string>; handshakes: Set<number> };

/** The unpacked engine, and the index of SQLite's write-ahead log, which is written through shared memory. */
const omitted = /^\.libsql-|-shm$|\.sock$/;
const maxReported = 5;

export async function checkPowerCut({ check }: Checks, options: PowerCutOptions): Promise<void> {
  const name = 'a power cut loses nothing that was acknowledged';
  if (!Bun.which('strace')) {
    console.log(`skip  ${name}: strace is missing; on Debian: apt-get install strace`);
    return;
  }
  await check(name, async () => {
    const recording = await record(options.loadMs ?? 800);
    try {
      return await cutEverywhere(recording, options);
    } finally {
      await recording.remove();
    }
  });
}

async function cutEverywhere(recording: Recording, { points, seed }: PowerCutOptions): Promise<string> {
  const runs = recording.traces.map(file => readTrace(Bun.mmap(file)));
  const random = createRandom(seed);
  const traced = new Set(runs.flatMap(run => run.flatMap(({ kind, call }) => (kind === 'begin' ? idsIn(call) : []))));
  const untraced = [...recording.numbers.keys()].filter(id => !traced.has(id)).length;
  ensure(untraced === 0, `${untraced} of ${recording.numbers.size} answers are not in the trace`);
  const moments = chooseMoments(runs, recording.dataDir, points, random);
  const base = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'hooktape-power-cut-'));
  const found: string[] = [];
  const totals = { recoveries: 0, mostStored: 0, unacknowledged: 0 };
  try {
    for await (const { moment, disk, acknowledged } of walk(runs, recording, moments)) {
      for (const survival of [onlySynced, randomSurvival(random)]) {
        const dataDir = join(base, 'data');
        disk.write(dataDir, survival, omitted);
        const { stored, unacknowledged, problems } = await recover(dataDir, expectationOf(recording, acknowledged));
        rmSync(dataDir, { recursive: true });
        totals.recoveries++;
        totals.mostStored = Math.max(totals.mostStored, stored);
        totals.unacknowledged += unacknowledged;
        if (problems.length === 0) continue;
        const how = survival === onlySynced ? 'only what was synced' : `and a part of the rest`;
        found.push(
          `cut at step ${moment} of ${acknowledged.ids.size} acknowledged, ${how}: ${problems.slice(0, maxReported).join('; ')}`,
        );
        ensure(found.length < maxReported, found.join('\n'));
      }
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
  ensure(found.length === 0, found.join('\n'));
  const { recoveries, mostStored, unacknowledged } = totals;
  return `${moments.length} moments, ${recoveries} recoveries, ${recording.numbers.size + recording.handshakesAt.size} of ${recording.sent} acknowledged, up to ${mostStored} stored, ${unacknowledged} times one that was not; seed ${seed}`;
}

/** Replays the trace, and calls back at each moment. */
async function* walk(runs: readonly Step[][], recording: Recording, moments: readonly number[]) {
  const disk = createDiskModel(recording.dataDir, dirname(recording.dataDir));
  const acknowledged: Acknowledged = { ids: new Set(), handshakes: new Set() };
  const handshakes = [...recording.handshakesAt].sort(([, a], [, b]) => a - b);
  const waiting = [...moments];
  let moment = 0;
  for (const run of runs) {
    for (const step of run) {
      disk.step(step);
      if (step.kind === 'begin') for (const id of idsIn(step.call)) acknowledged.ids.add(id);
      while (handshakes[0] && handshakes[0][1] < step.call.startedAt)
        acknowledged.handshakes.add(handshakes.shift()?.[0] ?? 0);
      moment++;
      if (waiting[0] !== moment) continue;
      waiting.shift();
      yield { moment, disk, acknowledged };
    }
    disk.endProcess();
  }
}

/** The event ids in data sent to a client. A response counts as sent when the call begins. */
function idsIn({ name, strings }: Call): string[] {
  if (!/^(?:sendto|sendmsg|writev?)$/.test(name)) return [];
  return strings.flatMap(data =>
    data.includes('{"ok":true,"id":"evt_')
      ? [...data.toString('latin1').matchAll(/\{"ok":true,"id":"(evt_\w+)"\}/g)].map(([, id]) => id ?? '')
      : [],
  );
}

/** A third at acknowledgments, a third right before and after syncs, a third anywhere. */
function chooseMoments(runs: readonly Step[][], dataDir: string, count: number, random: () => number): number[] {
  const disk: DiskModel = createDiskModel(dataDir, dirname(dataDir));
  const [syncs, answers]: [number[], number[]] = [[], []];
  let moment = 0;
  for (const run of runs) {
    for (const { kind, call } of run) {
      if (disk.isSync(call)) syncs.push(moment, moment + 1);
      disk.step({ kind, call });
      moment++;
      if (kind === 'begin' && idsIn(call).length > 0) answers.push(moment);
    }
    disk.endProcess();
  }
  const chosen = new Set<number>();
  const pick = (from: readonly number[], upTo: number): void => {
    const left = from.filter(one => one > 0 && !chosen.has(one));
    while (left.length > 0 && chosen.size < upTo)
      chosen.add(left.splice(Math.floor(random() * left.length), 1)[0] ?? 1);
  };
  pick(answers, count / 3);
  pick(syncs, (2 * count) / 3);
  pick(
    Array.from({ length: moment }, (_, i) => i + 1),
    count,
  );
  return [...chosen].sort((a, b) => a - b);
}

function expectationOf(recording: Recording, { ids, handshakes }: Acknowledged): Expectation {
  return {
    apiKey: recording.apiKey,
    endpointIds: recording.endpointIds,
    acknowledged: ids,
    answeredHandshakes: handshakes,
    numberOf: id => recording.numbers.get(id),
    sent: recording.sent,
    contentOf: recording.contentOf,
  };
}

/** Each change is on disk completely, in part (by sectors) or not at all. */
function randomSurvival(random: () => number): Survival {
  const share = random();
  return {
    names: random() < 0.5,
    data: change => {
      if (random() > share) return undefined;
      if (change.kind === 'size' || random() < 0.5) return change;
      const end = change.offset + change.data.length;
      const sectors = Math.ceil(end / sectorBytes) - Math.floor(change.offset / sectorBytes);
      const boundary = (): number =>
        (Math.floor(change.offset / sectorBytes) + Math.floor(random() * (sectors + 1))) * sectorBytes;
      const [one, other] = [boundary(), boundary()];
      const from = Math.max(change.offset, Math.min(one, other));
      const to = Math.min(end, Math.max(one, other));
      if (from >= to) return undefined;
      return { kind: 'data', offset: from, data: change.data.subarray(from - change.offset, to - change.offset) };
    },
  };
}

/** Numbers from 0 to 1, in a sequence determined by the seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
