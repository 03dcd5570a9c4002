/*
 * Durable deliveries per second beside 20 webhook subscriptions of MCP Events, compared with the same server without subscriptions.
 * Each subscription gets every event of the endpoint, at a callback that accepts it at once.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdClock } from '../../src/testing/clock.ts';
import { freePort } from '../../src/testing/free-port.ts';
import { openSubscriptions } from '../../src/testing/mcp-subscriptions.ts';
import { startServerProcess } from '../../src/testing/server-process.ts';
import { builtBinary } from '../lib/installation.ts';
import { orderPayloads } from '../lib/payloads.ts';
import type { Part } from './goal-part.ts';
import { interleaved, medians } from './rounds.ts';
import { fullLoad } from './wrk.ts';

type Side = 'none' | 'subscriptions';
type Target = { address: string; end: () => Promise<void> };

const subscriptions = 20;
const warmUpSeconds = 2;
const payloads = orderPayloads(1000);
const receiver = `Bun.serve({ port: Number(Bun.env.PORT), hostname: '127.0.0.1', async fetch(request) {
  const { challenge } = await request.json();
  return challenge === undefined ? new Response(null, { status: 204 }) : Response.json({ challenge });
} });`;

export const subscriptionRows: Part<'seconds' | 'rounds'> = async ({ seconds, rounds }) => {
  const callback = await freePort();
  const child = Bun.spawn([process.execPath, '-e', receiver], { env: { ...Bun.env, PORT: String(callback) } });
  const targets = new Map<Side, Target>();
  try {
    targets.set('none', await startTarget(0, callback));
    targets.set('subscriptions', await startTarget(subscriptions, callback));
    const load = async (side: Side, duration: number): Promise<number> =>
      (await fullLoad(targets.get(side)?.address ?? '', payloads, duration)).perSecond;
    for (const side of targets.keys()) await load(side, warmUpSeconds);
    const rates = await interleaved([...targets.keys()], rounds, 'deliveries/s', side => load(side, seconds));
    const what = `durable deliveries beside ${subscriptions} subscriptions, 1.6 KB, 64 connections (baseline: without)`;
    const row = { what, ...medians(rates, 'subscriptions', 'none'), unit: '/s', goal: { atLeast: 0.97 } };
    return { rows: [row], details: { rates } };
  } finally {
    for (const { end } of targets.values()) await end();
    child.kill();
  }
};

async function startTarget(count: number, callback: number): Promise<Target> {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-bench-'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = { HOOKTAPE_SECRET: 'the secret of this measurement, long enough', HOOKTAPE_BASE_URL: origin };
  const bench = await openSubscriptions({ directory, env, clock: holdClock(Date.now()) });
  for (let n = 0; n < count; n++) {
    const delivery = { url: `http://127.0.0.1:${callback}/hook`, secret: `whsec_${'A'.repeat(43)}=` };
    // One filter that every event matches, written differently each time, makes as many subscriptions.
    const given = { endpoint: bench.endpoint.id, per: 'event', where: `size>${n}` };
    const params = { name: 'webhook.received', arguments: given, delivery, ttlMs: null };
    const { error } = await bench.app.call('events/subscribe', params);
    if (error) throw new Error(error.message);
  }
  await bench.idle();
  await bench.close();
  const child = await startServerProcess([builtBinary()], directory, port, env);
  return {
    address: `${origin}${new URL(bench.endpoint.url).pathname}`,
    async end(): Promise<void> {
      child.kill('SIGKILL');
      await child.exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
