/* The time from starting the process until /readyz returns 200, with an empty data directory each time. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/testing/free-port.ts';
import { type Installation, install } from '../lib/installation.ts';
import type { Part } from './goal-part.ts';
import { programs, type Side } from './recorder.ts';
import { interleaved, medians } from './rounds.ts';

const startsPerRound = 8;

export const startRows: Part<'rounds' | 'baselineBinary'> = async ({ rounds, baselineBinary }) => {
  const installations = new Map(
    programs(baselineBinary).map(({ side, binary }) => [
      side,
      install({ HOOKTAPE_LOG_LEVEL: 'warn' }, [], { built: binary }),
    ]),
  );
  try {
    const start = async (side: Side): Promise<number> => {
      const { dir, start: serve } = installations.get(side) as Installation;
      for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
      const server = await serve(await freePort());
      await server.end('SIGTERM');
      return server.startupMs;
    };
    const taken = await interleaved<Side>([...installations.keys()], rounds * startsPerRound, 'start, ms', start);
    return {
      rows: [
        {
          what: `start to ready, empty, median of ${rounds * startsPerRound}`,
          ...medians(taken, 'ours', 'baseline'),
          unit: 'ms',
          goal: { atMost: 100 },
          isGoalAbsolute: true,
        },
      ],
      details: { start: taken },
    };
  } finally {
    for (const { remove } of installations.values()) await remove();
  }
};
