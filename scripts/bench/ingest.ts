/*
 * How fast deliveries become durable, what they take on disk (disk.ts), and what single parts of the program cost them
 * (switches.ts). Baseline and program
 * take turns under the same load, several rounds, medians; the one whose turn it is not is held. Load comes from wrk; latency at half
 * load from constant-rate.ts.
 */
import { parseArgs } from 'node:util';
import { firstApi, ingestAddress } from '../lib/api.ts';
import { freePort, install } from '../lib/installation.ts';
import { githubPayloads, type Payload, smallPayload } from '../lib/payloads.ts';
import { diskRows } from './disk.ts';
import { constantRate } from './generators.ts';
import { chosenParts, reportName } from './parts.ts';
import { letRunAlone, residentMegabytes, startBaseline } from './processes.ts';
import { type Row, report } from './report.ts';
import { median } from './statistics.ts';
import { switchRows } from './switches.ts';
import { fullLoad, requireWrk } from './wrk.ts';

type Side = 'ours' | 'baseline';
const SIDES: readonly Side[] = ['baseline', 'ours'];
const WARM_UP_SECONDS = 2;
const PARTS = ['load', 'disk', 'switches'] as const;

export async function ingest(args: string[]): Promise<void> {
  requireWrk();
  const options = {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    soak: { type: 'string', default: '60' },
    only: { type: 'string', default: PARTS.join() },
  } as const;
  const { values } = parseArgs({ args, options });
  const chosen = chosenParts(PARTS, values.only);
  const windows = { seconds: Number(values.seconds), rounds: Number(values.rounds) };
  const { small, github } = { small: [smallPayload()], github: githubPayloads() };
  const rows: Row[] = [];
  const details: Record<string, unknown> = { ...windows };
  const add = (part: { rows: Row[]; details: Record<string, unknown> }): void => {
    rows.push(...part.rows);
    Object.assign(details, part.details);
  };
  if (chosen.includes('load')) add(await loadRows({ small, github }, { ...windows, soakSeconds: Number(values.soak) }));
  if (chosen.includes('disk')) add(await diskRows());
  if (chosen.includes('switches'))
    add(await switchRows({ 'GitHub examples': github, '1.6 KB with GitHub headers': small }, windows));
  report(reportName('ingest', PARTS, chosen), rows, details);
}

async function loadRows(
  sets: Record<'small' | 'github', Payload[]>,
  { seconds, rounds, soakSeconds }: { seconds: number; rounds: number; soakSeconds: number },
): Promise<{ rows: Row[]; details: Record<string, unknown> }> {
  const installation = install({ HOOKTAPE_LOG_LEVEL: 'warn' });
  const baseline = await startBaseline();
  try {
    const server = await installation.start(await freePort());
    const api = await firstApi(installation, server);
    const address = ingestAddress(server, await api.createEndpoint('bench'));
    const addresses: Record<Side, string> = { ours: address, baseline: `${baseline.origin}/in/baseline` };
    const pids: Record<Side, number> = { ours: server.pid, baseline: baseline.pid };
    const turnOf = (side: Side): void => letRunAlone(pids[side], Object.values(pids));

    const full = { small: { ours: [], baseline: [] }, github: { ours: [], baseline: [] } } as Record<
      string,
      Record<Side, number[]>
    >;
    const p99 = { ours: [], baseline: [] } as Record<Side, number[]>;
    for (const side of SIDES) {
      turnOf(side);
      await fullLoad(addresses[side], sets.small, WARM_UP_SECONDS);
    }
    for (let round = 1; round <= rounds; round++) {
      for (const [name, payloads] of Object.entries(sets)) {
        for (const side of SIDES) {
          turnOf(side);
          const load = await fullLoad(addresses[side], payloads, seconds);
          full[name]?.[side].push(load.perSecond);
          console.log(
            `round ${round}  ${name.padEnd(6)}  ${side.padEnd(8)}  ${load.perSecond.toFixed(0)}/s  p99 ${load.p99Ms.toFixed(1)} ms`,
          );
        }
      }
    }
    const rates = Object.fromEntries(
      Object.entries(full).map(([name, sides]) => [
        name,
        { ours: median(sides.ours), baseline: median(sides.baseline) },
      ]),
    );
    const half = (rates['small']?.ours ?? 0) / 2;
    for (let round = 1; round <= rounds; round++) {
      for (const side of SIDES) {
        turnOf(side);
        const result = await constantRate(addresses[side], half, seconds);
        p99[side].push(result.p99Ms);
        console.log(
          `round ${round}  constant ${result.perSecond.toFixed(0)}/s  ${side.padEnd(8)}  p99 ${result.p99Ms.toFixed(2)} ms`,
        );
      }
    }
    turnOf('ours');
    const memory = await soak(server.pid, () => fullLoad(address, sets.small, soakSeconds));
    await server.end('SIGTERM');

    const rows: Row[] = [
      {
        what: 'durable deliveries, 1.6 KB, 64 connections',
        ...pair(rates['small']),
        unit: '/s',
        goal: { atLeast: 0.6 },
      },
      {
        what: 'durable deliveries, GitHub examples',
        ...pair(rates['github']),
        unit: '/s',
        goal: { atLeast: 0.45 },
      },
      {
        what: `p99 at half of that rate (${half.toFixed(0)}/s)`,
        ours: median(p99.ours),
        baseline: median(p99.baseline),
        unit: 'ms',
      },
      {
        what: `RSS, highest in ${soakSeconds} s of full load`,
        ours: memory.highest,
        unit: 'MB',
        goal: { atMost: 250 },
      },
      { what: '  growth from the first to the last third', ours: memory.growth, unit: 'MB' },
    ];
    return { rows, details: { full, p99, memory: memory.samples } };
  } finally {
    await baseline.end();
    await installation.remove();
  }
}

const pair = (rate: { ours: number; baseline: number } | undefined) =>
  rate ?? { ours: Number.NaN, baseline: Number.NaN };

/** Resident memory in MB, sampled every second while the load runs. */
async function soak(
  pid: number,
  load: () => Promise<unknown>,
): Promise<{ highest: number; growth: number; samples: number[] }> {
  const samples: number[] = [];
  const timer = setInterval(() => samples.push(residentMegabytes(pid)), 1000);
  try {
    await load();
  } finally {
    clearInterval(timer);
  }
  const third = Math.max(1, Math.floor(samples.length / 3));
  const growth = median(samples.slice(-third)) - median(samples.slice(0, third));
  return { highest: Math.max(...samples), growth, samples };
}
