/*
 * p99 latency at half of the sustained rate, compared with a loop that writes and syncs the same bytes at the same rate in the same
 * run, so that both include the latency of the disk.
 */
import { orderPayloads } from '../lib/payloads.ts';
import { deliveryRequest } from '../lib/wire.ts';
import { constantRate, syncLoop } from './generators.ts';
import type { Part } from './goal-part.ts';
import { pauseAllExcept, startBaseline } from './processes.ts';
import { startRecorder, untilAtRest } from './recorder.ts';
import { interleaved, medians } from './rounds.ts';
import { median } from './statistics.ts';
import { fullLoad } from './wrk.ts';

type Side = 'Hooktape' | 'writing and syncing alone' | 'node:http';

const warmUpSeconds = 2;

export const latencyRows: Part<'seconds' | 'rounds'> = async ({ seconds, rounds }, sustainedRate) => {
  const recorder = await startRecorder();
  const bare = await startBaseline();
  const pids = [recorder.server.pid, bare.pid];
  try {
    const payloads = orderPayloads(1000);
    const window = sustainedRate === undefined ? seconds : warmUpSeconds;
    pauseAllExcept(recorder.server.pid, pids);
    const load = await fullLoad(recorder.address, payloads, window);
    await untilAtRest(recorder);
    const rate = (sustainedRate ?? load.perSecond) / 2;
    const bytes = deliveryRequest(recorder.address, payloads[0] ?? { event: '', body: new Uint8Array() }).length;

    const p99 = async (side: Side): Promise<number> => {
      if (side === 'writing and syncing alone') {
        for (const pid of pids) process.kill(pid, 'SIGSTOP');
        return (await syncLoop(rate, seconds, bytes)).p99Ms;
      }
      const isOurs = side === 'Hooktape';
      pauseAllExcept(isOurs ? recorder.server.pid : bare.pid, pids);
      const address = isOurs ? recorder.address : `${bare.origin}/in/baseline`;
      return (await constantRate(address, rate, seconds, { payload: 'orders' })).p99Ms;
    };
    const sides: Side[] = ['writing and syncing alone', 'Hooktape', 'node:http'];
    const taken = await interleaved(sides, rounds, `p99 at ${rate.toFixed(0)}/s, ms`, p99);
    return {
      rows: [
        {
          what: `p99 at half of the sustained rate, ${rate.toFixed(0)}/s (baseline: writing and syncing the same bytes)`,
          ...medians(taken, 'Hooktape', 'writing and syncing alone'),
          unit: 'ms',
          goal: { atMost: 3 },
        },
        { what: '  the same, bare node:http', ours: median(taken['node:http']), unit: 'ms' },
      ],
      details: { latency: { rate, bytes, taken } },
    };
  } finally {
    await bare.end();
    await recorder.remove();
  }
};
