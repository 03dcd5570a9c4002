/*
 * `bun scripts/proofs/forwards-outage.ts [EVENTS_PER_SECOND] [MINUTES]`: a destination of an ordered forward is down for 2 hours at 50 events
 * a second, with a held clock. Then every event must arrive once, in the order of its lane. Prints memory meanwhile, and how long
 * deliveries took with and without the forward. Ends with 1 when something is wrong.
 */
import { holdClock } from '../../src/testing/clock.ts';
import { openForwards } from '../../src/testing/forwards.ts';
import { until } from '../lib/process.ts';

const [perSecond = 50, minutes = 120] = process.argv.slice(2).map(Number);
const lanes = 16;
const atOnce = 8;
const clock = holdClock();
const bench = await openForwards({ clock });
const endpoint = await bench.ada.createEndpoint();
const last = Array.from({ length: lanes }, () => -1);
let [isDown, arrived, sent, wrong] = [true, 0, 0, 0];
const { url, received } = bench.destination(({ body }) => {
  received.length = 0;
  if (isDown) return new Response(null, { status: 503 });
  const { lane, n } = JSON.parse(body) as { lane: number; n: number };
  if (n <= (last[lane] ?? -1)) wrong++;
  last[lane] = n;
  arrived++;
  return new Response(null, { status: 204 });
});

/** Delivers so many events. @returns how long 99 % of them took at most, in ms */
async function deliver(count: number): Promise<number> {
  const times: number[] = [];
  const upTo = sent + count;
  const sender = async (): Promise<void> => {
    while (sent < upTo) {
      const n = sent++;
      const startedAt = performance.now();
      await bench.server.deliver(endpoint, JSON.stringify({ lane: n % lanes, n }));
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}
const residentMiB = (): number => Math.round(process.memoryUsage.rss() / 2 ** 20);

const p99WithoutMs = await deliver(Math.min(perSecond * 60, 3000));
sent = 0;
const { id } = await bench.create(endpoint, { url, mode: 'ordered', orderBy: 'body.lane' });
const p99s: number[] = [];
const memory: number[] = [];
for (let minute = 0; minute < minutes; minute++) {
  p99s.push(await deliver(perSecond * 60));
  clock.advance(60_000);
  await bench.idle();
  if (minute % Math.ceil(minutes / 10) === 0) memory.push(residentMiB());
}
const waited = await bench.show(endpoint, id);
isDown = false;
const startedAt = performance.now();
await until('everything has arrived', 3_600_000, async () => {
  clock.advance(10_000);
  await bench.idle();
  return arrived >= sent;
});
memory.push(residentMiB());
await bench.idle();
const after = await bench.show(endpoint, id);
const isRight =
  wrong === 0 && arrived === sent && waited.waiting + waited.failed === sent && after.waiting + after.failed === 0;
console.log(
  JSON.stringify({
    events: sent,
    arrived,
    outOfOrderOrDoubled: wrong,
    stateWhileDown: waited.state,
    lagS: waited.lagS,
    p99WithoutMs: Math.round(p99WithoutMs * 10) / 10,
    p99Ms: Math.round((p99s.toSorted((a, b) => a - b)[p99s.length >> 1] ?? 0) * 10) / 10,
    residentMiB: memory,
    drainedInS: Math.round((performance.now() - startedAt) / 1000),
  }),
);
await bench.close();
process.exit(isRight ? 0 : 1);
