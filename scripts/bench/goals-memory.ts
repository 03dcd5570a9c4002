/* What the program takes in memory: just started, and under full load. A server and a database of its own in every round. */
import { orderPayloads } from '../lib/payloads.ts';
import { highestResident, residentMegabytes } from '../lib/process.ts';
import type { Part } from './goals.ts';
import { programs, type Side, startRecorder } from './recorder.ts';
import type { Row } from './report.ts';
import { median } from './statistics.ts';
import { fullLoad } from './wrk.ts';

type Memory = { idle: number; load: number };

const IDLE_SECONDS = 10;

export const memoryRows: Part = async ({ seconds, rounds, baselineBinary }) => {
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
  const row = (what: string, figure: keyof Memory, atMost: number): Row => ({
    what,
    ours: median(taken.ours.map(memory => memory[figure])),
    ...(taken.baseline.length > 0 && { baseline: median(taken.baseline.map(memory => memory[figure])) }),
    unit: 'MB',
    goal: { atMost },
    isGoalAbsolute: true,
  });
  return {
    rows: [
      row(`memory, highest in ${seconds} s of full load`, 'load', 250),
      row(`memory, idle, ${IDLE_SECONDS} s after the start`, 'idle', 90),
    ],
    details: { memory: taken },
  };
};

async function measure(binary: string, seconds: number): Promise<Memory> {
  const recorder = await startRecorder(binary);
  try {
    const { pid } = recorder.server;
    await Bun.sleep(IDLE_SECONDS * 1000);
    const idle = residentMegabytes(pid);
    const load = await highestResident(pid, () => fullLoad(recorder.address, orderPayloads(1000), seconds));
    return { idle, load };
  } finally {
    await recorder.remove();
  }
}
