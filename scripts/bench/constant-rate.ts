/*
 * An open-loop load generator, run in its own process: sends deliveries at a constant rate and measures each latency from the
 * scheduled send time, so a stall counts against every delivery it delays. The send timer ticks once a millisecond, which is
 * included in every latency. To use little CPU, it works on raw sockets and does not parse responses. Prints one JSON line.
 *
 * Usage: constant-rate.ts --address URL --rate N --seconds N --connections N --payload small|orders|github
 */
import { parseArgs } from 'node:util';
import type { Socket } from 'bun';
import { githubPayloads, orderPayloads, smallPayload } from '../lib/payloads.ts';
import { deliveryRequest } from '../lib/wire.ts';
import { percentile } from './statistics.ts';

export type RateResult = {
  answered: number;
  refused: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
};

const warmUpSeconds = 1;

const nothing = Buffer.alloc(0);
const ok = Buffer.from('HTTP/1.1 200 ');

if (import.meta.main) {
  const options = {
    address: { type: 'string' },
    rate: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string' },
    payload: { type: 'string' },
  } as const;
  const {
    address = '',
    rate = '',
    seconds = '',
    connections = '64',
    payload = 'small',
  } = parseArgs({ options }).values;
  const payloads = { github: githubPayloads, orders: () => orderPayloads(1000), small: () => [smallPayload()] }[
    payload
  ];
  if (!payloads) throw new Error(`unknown payload: ${payload}`);
  const requests = payloads().map(one => deliveryRequest(address, one));
  const result = await drive(new URL(address), requests, {
    rate: Number(rate),
    seconds: Number(seconds),
    connections: Number(connections),
  });
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exit(0);
}

/** One connection: the delivery it is sending, and the part of the response received so far. */
type Sender = { number: number; unsent: Uint8Array; answer: Buffer; socket: Socket<Sender> };

async function drive(
  { hostname, port }: URL,
  requests: readonly Uint8Array[],
  { rate, seconds, connections }: { rate: number; seconds: number; connections: number },
): Promise<RateResult> {
  const total = Math.round(rate * (seconds + warmUpSeconds));
  const measuredFrom = rate * warmUpSeconds;
  const latencies = new Float64Array(total);
  const idle: Sender[] = [];
  let answered = 0;
  let sent = 0;
  let due = 0;
  let done = 0;
  let refused = 0;
  const finished = Promise.withResolvers<void>();

  const flush = (sender: Sender): void => {
    const written = sender.socket.write(sender.unsent);
    sender.unsent = sender.unsent.subarray(Math.max(0, written));
  };
  const pump = (): void => {
    while (sent < due) {
      // Round robin: the server closes a connection that is idle for some seconds.
      const sender = idle.shift();
      if (!sender) return;
      sender.number = sent++;
      sender.unsent = requests[sender.number % requests.length] as Uint8Array;
      flush(sender);
    }
  };
  const receive = (sender: Sender, bytes: Buffer): void => {
    sender.answer = sender.answer.length === 0 ? bytes : Buffer.concat([sender.answer, bytes]);
    if (!isComplete(sender.answer)) return;
    if (!isOk(sender.answer)) refused++;
    else if (sender.number >= measuredFrom) latencies[answered++] = performance.now() - dueAt(sender.number);
    sender.answer = nothing;
    idle.push(sender);
    if (++done === total) finished.resolve();
  };
  const fail = (_: unknown, cause?: Error): void => finished.reject(new Error('a connection failed', { cause }));
  const connect = async (): Promise<void> => {
    const socket = await Bun.connect<Sender>({
      hostname,
      port: Number(port),
      socket: {
        data: ({ data }, bytes) => {
          receive(data, bytes);
          pump();
        },
        drain: ({ data }) => flush(data),
        close: fail,
        error: fail,
      },
    });
    socket.setNoDelay(true);
    socket.data = { number: 0, unsent: nothing, answer: nothing, socket };
    idle.push(socket.data);
  };
  await Promise.all(Array.from({ length: connections }, connect));

  const startedAt = performance.now();
  const dueAt = (number: number): number => startedAt + (number * 1000) / rate;
  const clock = setInterval(() => {
    due = Math.min(total, Math.floor(((performance.now() - startedAt) * rate) / 1000) + 1);
    pump();
  }, 1);
  await finished.promise;
  clearInterval(clock);

  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const sorted = [...latencies.subarray(0, answered).sort()];
  return {
    answered,
    refused,
    perSecond: total / elapsedSeconds,
    p50Ms: percentile(sorted, 50),
    p99Ms: percentile(sorted, 99),
    maxMs: sorted.at(-1) ?? Number.NaN,
  };
}

function isOk(answer: Buffer): boolean {
  return answer.compare(ok, 0, ok.length, 0, ok.length) === 0;
}

/** Responses are one JSON object with a Content-Length: one is complete when bytes follow the head and the last is `}`. */
function isComplete(answer: Buffer): boolean {
  const headEnd = answer.indexOf('\r\n\r\n');
  return headEnd > 0 && answer.length > headEnd + 4 && answer[answer.length - 1] === 0x7d;
}
