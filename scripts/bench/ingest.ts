/*
 * Durable deliveries per second, disk space per delivery (disk.ts), and the cost of single parts of the program (switches.ts). The
 * baseline and the program run alternately under the same load for several rounds, and the medians count; the one that is not
 * being measured is stopped. wrk generates the load, and constant-rate.ts measures the latency at half load.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { firstApi, ingestAddress } from '../lib/api.ts';
import { freePort, install } from '../lib/installation.ts';
import { githubPayloads, type Payload, smallPayload } from '../lib/payloads.ts';
import type { RateResult } from './constant-rate.ts';
import { diskRows } from './disk.ts';
import { chosenParts, reportName } from './parts.ts';
import { pauseAllExcept, residentMegabytes, startBaseline } from './processes.ts';
import { type Row, report } from './report.ts';
import { median } from './statistics.ts';
import { switchRows } from './switches.ts';
import { fullLoad, requireWrk } from './wrk.ts';

type Side = 'ours' | 'baseline';
const sides: readonly Side[] = ['baseline', 'ours'];
const warmUpSeconds = 2;
const ingestParts = ['load', 'disk', 'switches'] as const;

export async function ingest(args: string[]): Promise<void> {
  requireWrk();
  const options = {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    soak: { type: 'string', default: '60' },
    only: { type: 'string', default: ingestParts.join() },
  } as const;
  const { values } = parseArgs({ args, options });
  const chosen = chosenParts(ingestParts, values.only);
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
  report(reportName('ingest', ingestParts, chosen), rows, details);
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
    const runAlone = (side: Side): void => pauseAllExcept(pids[side], Object.values(pids));

    const full = { small: { ours: [], baseline: [] }, github: { ours: [], baseline: [] } } as Record<
      string,
      Record<Side, number[]>
    >;
    const p99 = { ours: [], baseline: [] } as Record<Side, number[]>;
    for (const side of sides) {
      runAlone(side);
      await fullLoad(addresses[side], sets.small, warmUpSeconds);
    }
    for (let round = 1; round <= rounds; round++) {
      for (const [name, payloads] of Object.entries(sets)) {
        for (const side of sides) {
          runAlone(side);
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
    const halfRate = (rates['small']?.ours ?? 0) / 2;
    for (let round = 1; round <= rounds; round++) {
      for (const side of sides) {
        runAlone(side);
        const result = await constantRate(addresses[side], halfRate, seconds);
        p99[side].push(result.p99Ms);
        console.log(
          `round ${round}  constant ${result.perSecond.toFixed(0)}/s  ${side.padEnd(8)}  p99 ${result.p99Ms.toFixed(2)} ms`,
        );
      }
    }
    runAlone('ours');
    const memory = await soak(server.pid, () => fullLoad(address, sets.small, soakSeconds));
    await server.end('SIGTERM');

    const rows: Row[] = [
      {
        what: 'durable deliveries, 1.6 KB, 64 connections',
        ...pair(rates['small']),
        unit: '/s',
        goal: { atLeast: 0.45 },
      },
      { what: 'durable deliveries, GitHub examples', ...pair(rates['github']), unit: '/s' },
      // The goal is absolute, so the baseline has its own row.
      {
        what: `p99 at half of that rate (${halfRate.toFixed(0)}/s)`,
        ours: median(p99.ours),
        unit: 'ms',
        goal: { atMost: 5 },
      },
      { what: '  the same, bare node:http', ours: median(p99.baseline), unit: 'ms' },
      {
        what: `RSS, highest in ${soakSeconds} s of full load`,
        ours: memory.highest,
        unit: 'MB',
        goal: { atMost: 300 },
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

/** Runs constant-rate.ts. @throws when a delivery is refused, because the result would be meaningless */
export async function constantRate(address: string, rate: number, seconds: number): Promise<RateResult> {
  const script = join(import.meta.dir, 'constant-rate.ts');
  const options = ['--address', address, '--rate', rate.toFixed(0), '--seconds', String(seconds)];
  const child = Bun.spawn([process.execPath, script, ...options], { stdout: 'pipe', stderr: 'inherit' });
  const output = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error('the constant-rate generator failed');
  const result = JSON.parse(output) as RateResult;
  if (result.refused > 0) throw new Error(`${result.refused} deliveries were refused at half load`);
  return result;
}

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
