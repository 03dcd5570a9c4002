/*
 * Three clients of MCP Events, a stream and two polls, one of them per delivery, read an endpoint while the server is killed at random
 * times and started again. With nothing but their cursors, the stream and the first poll must get every stored event once and in
 * order, and the other poll one event of each delivery. Nothing may be reported as truncated.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { answerOf, eventsRequest, readStream } from './mcp-events.ts';
import { eventually } from './poll.ts';
import { exchange } from './raw-http.ts';
import { startServerProcess } from './server-process.ts';
import { openTestServer } from './test-server.ts';

export type EventsKillsResult = {
  stored: number;
  kills: number;
  /** How often the stream was opened: at least once before each kill. */
  streams: number;
  seconds: number;
  /** The first few problems. */
  problems: string[];
};

const settings = { HOOKTAPE_SECRET: 'the secret of this proof, long enough', HOOKTAPE_RATE_LIMIT: '1000000' };
type Occurrence = { eventId: string; data: { payloadPreview: string }; cursor: string };
type Client = { got: Occurrence[]; truncated: boolean };
type Site = { origin: string; key: string; isDone: () => boolean };

/** @param random from 0 to 1 */
export async function killWhileReadingEvents(options: {
  /** Starts the server with `serve`. */
  command: readonly string[];
  events: number;
  kills: number;
  random: () => number;
}): Promise<EventsKillsResult> {
  const { command, events, kills, random } = options;
  const startedAt = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  try {
    const { key, id, path, cursor } = await prepare(directory);
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const start = () => startServerProcess(command, directory, port, settings);
    let isDone = false;
    const site: Site = { origin, key, isDone: () => isDone };
    const streaming: Client & { opened: number } = { got: [], truncated: false, opened: 0 };
    const polling: Client = { got: [], truncated: false };
    const deliveries: Client = { got: [], truncated: false };
    const watch = (per: string) => ({ name: 'webhook.received', arguments: { endpoint: id, per } });

    let child = await start();
    const clients = [
      stream(site, { ...watch('event'), cursor }, streaming),
      poll(site, { ...watch('event'), cursor }, polling),
      poll(site, { ...watch('delivery'), cursor }, deliveries),
    ];
    for (let kill = 0, sent = 0; kill < kills; kill++) {
      // Otherwise a slow start would leave no stream and no delivery to interrupt.
      await eventually(() => streaming.opened > kill, 60_000);
      const upTo = Math.round(((kill + 1) * events) / kills);
      const sending = (async () => {
        for (; sent < upTo; sent++) await post(origin, path, sent);
      })();
      await Bun.sleep(random() * 600);
      child.kill('SIGKILL');
      await child.exited;
      child = await start();
      await sending;
    }
    const stored = await storedEvents(origin, key, id);
    const isComplete = ({ got }: Client): boolean => got.length >= stored.length;
    await eventually(() => [streaming, polling].every(isComplete), 60_000).catch(() => {});
    await eventually(() => deliveries.got.length >= events, 10_000).catch(() => {});
    isDone = true;
    await Promise.all(clients);
    child.kill();
    await child.exited;
    const problems = [
      ...problemsOf('the stream', streaming, stored),
      ...problemsOf('the poll', polling, stored),
      ...problemsOfDeliveries(deliveries, events),
    ].slice(0, 10);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    return { stored: stored.length, kills, streams: streaming.opened, seconds, problems };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function prepare(directory: string) {
  const server = await openTestServer({ directory, env: settings });
  const ada = await server.createAccount();
  const { id, url } = await ada.createEndpoint();
  const params = { name: 'webhook.received', arguments: { endpoint: id } };
  const started = await answerOf(server.fetch('/mcp', eventsRequest(ada.key, 'events/poll', params)));
  await server.close();
  const { cursor } = (started as { result: { cursor: string } }).result;
  return { key: ada.key, id, path: new URL(url).pathname, cursor };
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

const request = ({ origin, key }: Site, method: string, params: object, signal?: AbortSignal): Promise<Response> =>
  fetch(`${origin}/mcp`, { ...eventsRequest(key, method, params), ...(signal && { signal }) });

async function poll(site: Site, params: { cursor: string }, client: Client): Promise<void> {
  for (let { cursor } = params; !site.isDone(); ) {
    const answer = await answerOf(request(site, 'events/poll', { ...params, cursor })).catch(() => undefined);
    const { result } = (answer ?? {}) as {
      result?: { events: Occurrence[]; cursor: string; truncated: boolean; hasMore: boolean };
    };
    if (result) {
      client.got.push(...result.events);
      client.truncated ||= result.truncated;
      cursor = result.cursor;
    }
    if (!result?.hasMore) await Bun.sleep(50);
  }
}

async function stream(site: Site, params: { cursor: string }, client: Client & { opened: number }): Promise<void> {
  for (let { cursor } = params; !site.isDone(); ) {
    const leaving = new AbortController();
    const timer = setInterval(() => site.isDone() && leaving.abort(), 50);
    try {
      const opened = readStream(await request(site, 'events/stream', { ...params, cursor }, leaving.signal));
      client.opened++;
      for (let message = await opened.next(); message; message = await opened.next()) {
        if (message.method === 'notifications/events/event') client.got.push(message.params as unknown as Occurrence);
        client.truncated ||= message.params?.['truncated'] === true;
        cursor = message.params?.cursor ?? cursor;
      }
    } catch {
      await Bun.sleep(20);
    } finally {
      clearInterval(timer);
    }
  }
}

async function storedEvents(origin: string, key: string, id: string): Promise<string[]> {
  const ids: string[] = [];
  for (let [after, more] = ['start', true]; more; ) {
    const path = `/api/endpoints/${id}/feed?limit=100&after=${after}`;
    const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${key}` } });
    const page = (await response.json()) as { events: { id: string }[]; cursor: string; more: boolean };
    ids.push(...page.events.map(event => event.id));
    ({ cursor: after, more } = page);
  }
  return ids;
}

function problemsOf(name: string, { got, truncated }: Client, stored: readonly string[]): string[] {
  const ids = got.map(({ eventId }) => eventId);
  const missing = stored.filter(id => !ids.includes(id)).length;
  return [
    ...(truncated ? [`${name} was truncated`] : []),
    ...(missing > 0 ? [`${name} missed ${missing} of ${stored.length} events`] : []),
    ...(ids.length > stored.length ? [`${name} got ${ids.length - stored.length} events too many`] : []),
    ...(missing === 0 && ids.join() !== stored.join() ? [`${name} got events out of order or twice`] : []),
  ];
}

function problemsOfDeliveries({ got, truncated }: Client, events: number): string[] {
  const bodies = new Set(got.map(({ data }) => data.payloadPreview));
  return [
    ...(truncated ? ['the poll per delivery was truncated'] : []),
    ...(bodies.size < events ? [`the poll per delivery missed ${events - bodies.size} deliveries`] : []),
    ...(got.length > bodies.size ? [`the poll per delivery got ${got.length - bodies.size} deliveries twice`] : []),
  ];
}
