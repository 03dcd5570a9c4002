/* Resident memory right after the start and under full load. Each round uses a new server and database. */
import { orderPayloads } from '../lib/payloads.ts';
import { residentMegabytes } from '../lib/process.ts';
import type { Part } from './goal-part.ts';
import { programs, type Side, startRecorder } from './recorder.ts';
import type { Row } from './report.ts';
import { median } from './statistics.ts';
import { fullLoad } from './wrk.ts';

/** MB */
type Memory = { idle: number; load: number; growth: number };

const idleSeconds = 10;
const sampleIntervalMs = 200;

export const memoryRows: Part<'seconds' | 'rounds' | 'baselineBinary'> = async ({
  seconds,
  rounds,
  baselineBinary,
}) => {
  const sides = programs(baselineBinary);
  const taken: Record<Side, Memory[]> = { ours: [], baseline: [] };
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < sides.length; turn++) {
      const program = sides[(round + turn) % sides.length];
      if (!program) continue;
      const memory = await measure(program.binary, seconds);
      taken[program.side].push(memory);
      console.log(
        `round ${round + 1}  memory, MB  ${program.side.padEnd(8)}  idle ${memory.idle.toFixed(0)}, full load ${memory.load.toFixed(0)}`,
      );
    }
  const row = (what: string, figure: keyof Memory, atMost?: number): Row => ({
    what,
    ours: median(taken.ours.map(memory => memory[figure])),
    ...(taken.baseline.length > 0 && { baseline: median(taken.baseline.map(memory => memory[figure])) }),
    unit: 'MB',
    ...(atMost !== undefined && { goal: { atMost }, isGoalAbsolute: true }),
  });
  return {
    rows: [
      row(`memory, highest in ${seconds} s of full load`, 'load', 250),
      row('  growth from the first to the last third of it', 'growth'),
      row(`memory, idle, ${idleSeconds} s after the start`, 'idle', 90),
    ],
    details: { memory: taken },
  };
};

async function measure(binary: string, seconds: number): Promise<Memory> {
  const recorder = await startRecorder(binary);
  try {
    const { pid } = recorder.server;
    await Bun.sleep(idleSeconds * 1000);
    const idle = residentMegabytes(pid);
    const samples: number[] = [];
    const timer = setInterval(() => samples.push(residentMegabytes(pid)), sampleIntervalMs);
    await fullLoad(recorder.address, orderPayloads(1000), seconds).finally(() => clearInterval(timer));
    const third = Math.max(1, Math.floor(samples.length / 3));
    const growth = median(samples.slice(-third)) - median(samples.slice(0, third));
    return { idle, load: Math.max(...samples), growth };
  } finally {
    await recorder.remove();
  }
}
