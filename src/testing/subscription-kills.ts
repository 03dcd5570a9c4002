/*
 * A webhook subscription while the server and the receiver are killed at random times and started again. Each stored event must be
 * accepted; one may be accepted twice only if it was in progress at a kill.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventId } from '../core/ids/ids.ts';
import { holdClock } from './clock.ts';
import { rowsOf } from './events.ts';
import { freePort } from './free-port.ts';
import { newSecret } from './mcp-receiver.ts';
import { createCaller, openSubscriptions } from './mcp-subscriptions.ts';
import { eventually } from './poll.ts';
import { exchange } from './raw-http.ts';
import { startServerProcess } from './server-process.ts';
import { openTestServer } from './test-server.ts';

export type SubscriptionKillsResult = {
  stored: number;
  /** How often the server is killed, and the receiver. */
  kills: number;
  /** Events that the receiver has accepted more than once. */
  doubled: number;
  seconds: number;
  problems: string[];
};

const serverSecret = 'the secret of this proof, long enough';
const receiverScript = new URL('mcp-receiver-process.ts', import.meta.url).pathname;
/** The most events in progress at a kill. An event counts until its response is written. */
const maxDoubledPerKill = 6;

/** @param random from 0 to 1 */
export async function killWhileDelivering(options: {
  /** Starts the server with `serve`. */
  command: readonly string[];
  events: number;
  kills: number;
  random: () => number;
}): Promise<SubscriptionKillsResult> {
  const { command, events, kills, random } = options;
  const startedAt = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  const file = join(directory, 'accepted');
  const secret = newSecret();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = { HOOKTAPE_SECRET: serverSecret, HOOKTAPE_BASE_URL: origin };
  const receiverPort = await freePort();
  const startReceiver = () => startReceiverProcess(receiverPort, secret, file);
  let receiver = await startReceiver();
  try {
    const delivery = { mode: 'webhook', url: `http://127.0.0.1:${receiverPort}/hook`, secret };
    const { token, path, params } = await prepare(directory, env, delivery);
    const call = createCaller((to, init) => fetch(`${origin}${to}`, init), token);
    const start = () => startServerProcess(command, directory, port, env);
    const restarted = async (child: Bun.Subprocess): Promise<Bun.Subprocess> => {
      child.kill('SIGKILL');
      await child.exited;
      return start();
    };

    let child = await start();
    for (let kill = 0, sent = 0; kill < kills; kill++) {
      const upTo = Math.round(((kill + 1) * events) / kills);
      const sending = (async () => {
        for (; sent < upTo; sent++) await post(origin, path, sent);
      })();
      await Bun.sleep(50 + random() * 300);
      receiver.kill('SIGKILL');
      await receiver.exited;
      await Bun.sleep(random() * 300);
      receiver = await startReceiver();
      // A client that is back says so; otherwise it might have to wait for a minute.
      await call('events/subscribe', params).catch(() => {});
      await Bun.sleep(random() * 300);
      child = await restarted(child);
      await sending;
    }
    const { error } = await call('events/subscribe', params);
    if (error) throw new Error(`the last refresh: ${error.message}`);
    const accepted = (): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
    await untilNoProgress(() => new Set(accepted()).size, events);
    // What the last ones have settled is written.
    await Bun.sleep(1000);
    child.kill();
    await child.exited;
    const found = await check(directory, env, accepted(), 2 * kills);
    return { ...found, kills, seconds: Math.round((performance.now() - startedAt) / 1000) };
  } finally {
    receiver.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startReceiverProcess(port: number, secret: string, file: string): Promise<Bun.Subprocess> {
  const child = Bun.spawn([process.execPath, receiverScript], {
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port), SECRET: secret, FILE: file },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const isUp = async (): Promise<boolean> =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' }).catch(() => undefined))?.status === 401;
  await eventually(isUp, 60_000);
  return child;
}

async function prepare(directory: string, env: Record<string, string>, delivery: object) {
  const bench = await openSubscriptions({ directory, env, clock: holdClock(Date.now()) });
  const { app, endpoint } = bench;
  const params = { name: 'webhook.received', arguments: { endpoint: endpoint.id }, delivery, ttlMs: null };
  const { error } = await app.call('events/subscribe', params);
  await bench.idle();
  await bench.close();
  if (error) throw new Error(error.message);
  return { token: app.tokens.access_token, path: new URL(endpoint.url).pathname, params };
}

/** A slow machine may need long for what waits, but not for the next one. */
async function untilNoProgress(count: () => number, wanted: number): Promise<void> {
  for (let before = -1; count() < wanted && count() > before; ) {
    before = count();
    await eventually(() => count() > before, 130_000).catch(() => {});
  }
}

/** Sends until it is acknowledged, as senders do. */
async function post(origin: string, path: string, n: number): Promise<void> {
  const body = JSON.stringify({ n });
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  for (;;) {
    const text = await exchange(origin, `${head}\r\n\r\n${body}`).catch(() => '');
    if (text.startsWith('HTTP/1.1 200')) return;
    await Bun.sleep(20);
  }
}

/** A sender repeats an event whose acknowledgement was lost in a kill: only its first attempt is an occurrence. */
async function check(directory: string, env: Record<string, string>, accepted: readonly string[], kills: number) {
  const problems: string[] = [];
  const server = await openTestServer({ directory, env });
  const rows = await rowsOf(server, 'SELECT seq, nonce FROM events');
  const repeated = Number((await rowsOf(server, 'SELECT count(*) - count(DISTINCT delivery) FROM events'))[0]?.[0]);
  const left = Number((await rowsOf(server, 'SELECT count(*) FROM queue_items'))[0]?.[0]);
  await server.close();
  const ids = rows.map(([seq, nonce]) => eventId(Number(seq), new Uint8Array(nonce as ArrayBuffer)));
  const times = Map.groupBy(accepted, id => id);
  const missed = ids.filter(id => !times.has(id)).length;
  if (missed > repeated)
    problems.push(`${missed} of ${ids.length} events are missed, of which ${repeated} are repeated`);
  if (left !== 0) problems.push(`${left} items are left in the queues`);
  const doubled = [...times.values()].filter(some => some.length > 1).length;
  if (doubled > kills * maxDoubledPerKill) problems.push(`${doubled} events are doubled`);
  const strange = [...times.keys()].filter(id => !ids.includes(id));
  if (strange.length > 0) problems.push(`accepted, but not stored: ${strange.slice(0, 3)}`);
  return { stored: ids.length, doubled, problems };
}
