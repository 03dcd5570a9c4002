/*
 * An open-loop generator in a process of its own: deliveries leave at a constant rate whatever the server does, and each is
 * timed from the moment it was due, so a stall of the server counts against every delivery it delayed. The timer ticks once
 * a millisecond, which is part of every number; the baseline is measured in the same way. It shares the machine with what it
 * measures, so it does as little as it can: sockets without streams around them, and answers that are looked at, not parsed.
 *
 * Usage: constant-rate.ts --address URL --rate N --seconds N --connections N --payload small|orders|github.
 * Prints one JSON line.
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

const WARM_UP_SECONDS = 1;

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
  if (!payloads) throw new Error(`no payloads of the name ${payload}`);
  const requests = payloads().map(one => deliveryRequest(address, one));
  const result = await drive(new URL(address), requests, {
    rate: Number(rate),
    seconds: Number(seconds),
    connections: Number(connections),
  });
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exit(0);
}

/** One connection: what it is sending, and what has come of the answer. */
type Sender = { number: number; unsent: Uint8Array; answer: Buffer; socket: Socket<Sender> };

async function drive(
  { hostname, port }: URL,
  requests: readonly Uint8Array[],
  { rate, seconds, connections }: { rate: number; seconds: number; connections: number },
): Promise<RateResult> {
  const total = Math.round(rate * (seconds + WARM_UP_SECONDS));
  const measuredFrom = rate * WARM_UP_SECONDS;
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
      // In turn: one that is never used would be closed by the server after some seconds.
      const sender = idle.shift();
      if (!sender) return;
      sender.number = sent++;
      sender.unsent = requests[sender.number % requests.length] as Uint8Array;
      flush(sender);
    }
  };
  const receive = (sender: Sender, bytes: Buffer): void => {
    sender.answer = sender.answer.length === 0 ? bytes : Buffer.concat([sender.answer, bytes]);
    if (!isWhole(sender.answer)) return;
    if (!isOk(sender.answer)) refused++;
    else if (sender.number >= measuredFrom) latencies[answered++] = performance.now() - dueAt(sender.number);
    sender.answer = nothing;
    idle.push(sender);
    if (++done === total) finished.resolve();
  };
  const fail = (_: unknown, cause?: Error): void => finished.reject(new Error('a connection broke', { cause }));
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

/** Answers of an announced length, in JSON: the last byte of the head's last line and of the body tell that it is all there. */
function isWhole(answer: Buffer): boolean {
  const headEnd = answer.indexOf('\r\n\r\n');
  return headEnd > 0 && answer.length > headEnd + 4 && answer[answer.length - 1] === 0x7d;
}
