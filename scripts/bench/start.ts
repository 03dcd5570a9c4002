/*
 * The time from starting the program until /readyz returns 200, first with an empty data directory and then with the same
 * directory again. With `--baseline FILE`, another executable, such as an earlier release, is measured in alternation.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../../src/testing/free-port.ts';
import { builtBinary, install } from '../lib/installation.ts';
import { type Row, report } from './report.ts';
import { median } from './statistics.ts';

const goalMs = 100;
const warmUpRounds = 2;

export async function start(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string', default: '20' }, baseline: { type: 'string' } },
  });
  const rounds = Number(values.rounds);
  const programs = [builtBinary(), ...(values.baseline === undefined ? [] : [resolve(values.baseline)])].map(
    binary => ({
      binary,
      first: [] as number[],
      again: [] as number[],
    }),
  );
  for (let round = -warmUpRounds; round < rounds; round++)
    for (const { binary, first, again } of round % 2 === 0 ? programs : programs.toReversed()) {
      const times = await startTwice(binary);
      if (round < 0) continue;
      first.push(times.first);
      again.push(times.again);
    }
  const [ours, other] = programs;
  const row = (what: string, times: 'first' | 'again'): Row => ({
    what: `from start to ready, ${what}: median`,
    ours: median(ours?.[times] ?? []),
    unit: 'ms',
    ...(other ? { baseline: median(other[times]) } : { goal: { atMost: goalMs } }),
  });
  report('start', [row('empty data directory', 'first'), row('the same directory again', 'again')], {
    rounds,
    programs,
  });
}

async function startTwice(built: string): Promise<{ first: number; again: number }> {
  const installation = install({}, [], { built });
  try {
    const times: number[] = [];
    for (let start = 0; start < 2; start++) {
      const server = await installation.start(await freePort());
      times.push(server.startupMs);
      await server.end('SIGTERM');
    }
    const [first = Number.NaN, again = Number.NaN] = times;
    return { first, again };
  } finally {
    await installation.remove();
  }
}
