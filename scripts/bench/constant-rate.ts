/*
 * An open-loop generator in a process of its own: deliveries leave at a constant rate whatever the server does, and each is
 * timed from the moment it was due, so a stall of the server counts against every delivery it delayed. The timer ticks once
 * a millisecond, which is part of every number; the baseline is measured in the same way.
 *
 * Usage: constant-rate.ts --address URL --rate N --seconds N --payload small|github. Prints one JSON line.
 */
import { parseArgs } from 'node:util';
import { githubPayloads, smallPayload } from '../lib/payloads.ts';
import { type Connection, connect, deliveryRequest } from '../lib/wire.ts';
import { percentile } from './statistics.ts';

export type RateResult = {
  answered: number;
  refused: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
};

const CONNECTIONS = 64;
const WARM_UP_SECONDS = 1;

if (import.meta.main) {
  const options = {
    address: { type: 'string' },
    rate: { type: 'string' },
    seconds: { type: 'string' },
    payload: { type: 'string' },
  } as const;
  const { address = '', rate = '', seconds = '', payload = 'small' } = parseArgs({ options }).values;
  const payloads = payload === 'github' ? githubPayloads() : [smallPayload()];
  const requests = payloads.map(one => deliveryRequest(address, one));
  const result = await drive(address, requests, Number(rate), Number(seconds));
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exit(0);
}

async function drive(
  address: string,
  requests: readonly Uint8Array[],
  rate: number,
  seconds: number,
): Promise<RateResult> {
  const idle = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(address)));
  const total = Math.round(rate * (seconds + WARM_UP_SECONDS));
  const measuredFrom = rate * WARM_UP_SECONDS;
  const latencies: number[] = [];
  const due: number[] = [];
  let scheduled = 0;
  let done = 0;
  let refused = 0;
  const finished = Promise.withResolvers<void>();
  const startedAt = performance.now();
  const dueAt = (number: number) => startedAt + (number * 1000) / rate;

  const deliver = async (connection: Connection, number: number) => {
    const answer = await connection.send(requests[number % requests.length] ?? new Uint8Array());
    if (answer.status !== 200) refused++;
    else if (number >= measuredFrom) latencies.push(performance.now() - dueAt(number));
    idle.push(connection);
    if (++done === total) finished.resolve();
    pump();
  };
  const pump = () => {
    while (due.length > 0 && idle.length > 0) {
      const connection = idle.pop();
      const number = due.shift();
      if (connection && number !== undefined) deliver(connection, number).catch(finished.reject);
    }
  };
  const clock = setInterval(() => {
    const now = performance.now();
    while (scheduled < total && dueAt(scheduled) <= now) due.push(scheduled++);
    pump();
  }, 1);
  await finished.promise;
  clearInterval(clock);

  latencies.sort((a, b) => a - b);
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  return {
    answered: latencies.length,
    refused,
    perSecond: total / elapsedSeconds,
    p50Ms: percentile(latencies, 50),
    p99Ms: percentile(latencies, 99),
    maxMs: latencies.at(-1) ?? Number.NaN,
  };
}
