/*
 * Two forwards of an endpoint, one in parallel and one ordered in lanes, to destinations that fail every fifth time, while the server is
 * killed at random times and started again. Both destinations must accept every event that is stored, the ordered one in the order of
 * each lane; an event may be duplicated only if it was in progress at a kill; and each event has one replay row for each
 * forward.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Forward } from '../features/forwards/model.ts';
import { forwardRows } from './forward-rows.ts';
import { freePort } from './free-port.ts';
import { eventually } from './poll.ts';
import { exchange } from './raw-http.ts';
import { startServerProcess } from './server-process.ts';
import { openTestServer } from './test-server.ts';

export type ForwardKillsResult = {
  stored: number;
  kills: number;
  /** Events that a destination has accepted more than once. */
  doubled: number;
  seconds: number;
  /** The first few problems. */
  problems: string[];
};

const secret = 'the secret of this proof, long enough';
const lanes = 7;
/** The most events of one forward in progress at a kill. An event counts until its response is written. */
const maxDoubledPerKill = 6;
const modes = ['parallel', 'ordered'] as const;

/** @param random from 0 to 1 */
export async function killWhileForwarding(options: {
  /** Starts the server with `serve`. */
  command: readonly string[];
  events: number;
  kills: number;
  random: () => number;
}): Promise<ForwardKillsResult> {
  const { command, events, kills, random } = options;
  const startedAt = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  const destinations = modes.map(() => openDestination(random));
  try {
    const { key, id, path } = await prepare(directory, destinations);
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const settings = { HOOKTAPE_SECRET: secret, HOOKTAPE_REPLAY_ALLOW: '127.0.0.1' };
    const start = () => startServerProcess(command, directory, port, settings);
    const post = async (n: number): Promise<void> => {
      const body = JSON.stringify({ lane: n % lanes, n });
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
      for (;;) {
        const text = await exchange(origin, `${head}\r\n\r\n${body}`).catch(() => '');
        if (text.startsWith('HTTP/1.1 200')) return;
        await Bun.sleep(20);
      }
    };

    let child = await start();
    for (let kill = 0, sent = 0; kill < kills; kill++) {
      const upTo = Math.round(((kill + 1) * events) / kills);
      const sending = (async () => {
        for (; sent < upTo; sent++) await post(sent);
      })();
      await Bun.sleep(100 + random() * 600);
      child.kill('SIGKILL');
      await child.exited;
      child = await start();
      await sending;
    }
    const isDone = async (): Promise<boolean> => {
      const headers = { authorization: `Bearer ${key}` };
      const { forwards } = (await (await fetch(`${origin}/api/endpoints/${id}/forwards`, { headers })).json()) as {
        forwards: Forward[];
      };
      return forwards.every(({ waiting, failed }) => waiting + failed === 0);
    };
    await eventually(() => destinations.every(({ accepted }) => accepted.size >= events), 300_000);
    await eventually(isDone, 120_000);
    child.kill();
    await child.exited;
    const found = await check(directory, destinations, kills);
    return { ...found, kills, seconds: Math.round((performance.now() - startedAt) / 1000) };
  } finally {
    for (const one of destinations) await one.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

type Destination = ReturnType<typeof openDestination>;

function openDestination(random: () => number) {
  /** How often each event was accepted, by its id, in the order of the first time. */
  const accepted = new Map<string, { times: number; lane: number }>();
  const http = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { lane } = (await request.json()) as { lane: number };
      if (random() < 0.2) return new Response(null, { status: 503 });
      const id = request.headers.get('x-service-replay') ?? '';
      accepted.set(id, { times: (accepted.get(id)?.times ?? 0) + 1, lane });
      return new Response(null, { status: 204 });
    },
  });
  return { url: `http://127.0.0.1:${http.port}/hook`, accepted, stop: () => http.stop(true) };
}

async function prepare(directory: string, destinations: readonly Destination[]) {
  const env = { HOOKTAPE_SECRET: secret, HOOKTAPE_REPLAY_ALLOW: '127.0.0.1' };
  const server = await openTestServer({ directory, env });
  const ada = await server.createAccount();
  const { id, url } = await ada.createEndpoint();
  for (const [n, mode] of modes.entries())
    await ada.json(201, 'POST', `/api/endpoints/${id}/forwards`, {
      name: mode,
      url: destinations[n]?.url,
      mode,
      ...(mode === 'ordered' && { orderBy: 'body.lane' }),
      retry: { for: '24h', first: '5ms', max: '50ms' },
    });
  await server.close();
  return { key: ada.key, id, path: new URL(url).pathname };
}

async function check(directory: string, destinations: readonly Destination[], kills: number) {
  const { stored, problems } = await forwardRows({ directory, env: { HOOKTAPE_SECRET: secret } });
  let doubled = 0;
  for (const [n, { accepted }] of destinations.entries()) {
    if (accepted.size !== stored) problems.push(`${modes[n]}: ${accepted.size} of ${stored} events arrived`);
    const again = [...accepted.values()].filter(({ times }) => times > 1).length;
    if (again > kills * maxDoubledPerKill) problems.push(`${modes[n]}: ${again} events are doubled`);
    doubled += again;
    if (modes[n] === 'parallel') continue;
    for (let lane = 0; lane < lanes; lane++) {
      // Ids begin with the row number, so they are in the order of storage.
      const ids = [...accepted].filter(([, one]) => one.lane === lane).map(([id]) => id);
      if (ids.some((id, i) => i > 0 && id < (ids[i - 1] ?? ''))) problems.push(`lane ${lane} is out of order`);
    }
  }
  return { stored, doubled, problems };
}
