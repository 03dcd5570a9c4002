/*
 * The endpoint of a soak test that keeps everything. It has three forwards, five alerts, three webhook subscriptions of MCP Events, and a
 * neighbour whose deliveries are redacted. The ledger knows which deliveries the server has acknowledged: each must be stored, and must
 * have reached every forward and subscription, however often the server was killed.
 */
import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Alert } from '../../src/features/alerts/model.ts';
import type { Forward } from '../../src/features/forwards/model.ts';
import { holdClock } from '../../src/testing/clock.ts';
import { newSecret } from '../../src/testing/mcp-receiver.ts';
import { openSubscriptions } from '../../src/testing/mcp-subscriptions.ts';
import { signInPassword } from '../../src/testing/oauth-harness.ts';
import { type Api, type Endpoint, ingestAddress } from '../lib/api.ts';
import { ensure } from '../lib/checks.ts';
import { type Env, type Installation, nobodyId, type Server } from '../lib/installation.ts';
import { until } from '../lib/process.ts';

/** The account that `prepare` creates. */
export const owner = { email: 'ada@example.com', password: signInPassword };
const forwards = ['parallel', 'ordered', 'shaped'] as const;
const subscriptionCount = 3;
/** What every delivery to the redacted endpoint contains. */
const personal = 'grace.hopper@example.com';
const lanes = 8;

type Receiver = ReturnType<typeof openReceiver>;

/** Destination of forwards (by the number in the body), subscriptions (by event id), and alerts. */
function openReceiver() {
  const got = new Map<string, Set<string>>();
  let alerts = 0;
  const http = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = (await request.json()) as { n?: number; challenge?: string; eventId?: string; type?: string };
      if (body.challenge !== undefined) return Response.json({ challenge: body.challenge });
      if (pathname === '/alert') alerts++;
      else if (body.eventId !== undefined || body.n !== undefined) set(pathname).add(String(body.eventId ?? body.n));
      return new Response(null, { status: 204 });
    },
  });
  const set = (path: string): Set<string> => {
    const existing = got.get(path) ?? new Set();
    got.set(path, existing);
    return existing;
  };
  return { url: `http://127.0.0.1:${http.port}`, set, alerts: () => alerts, close: () => http.stop(true) };
}

/** Creates the account and the subscriptions, before the server starts. */
export async function prepare(installation: Installation, env: Env) {
  const receiver = openReceiver();
  mkdirSync(installation.dataDir, { mode: 0o700 });
  const bench = await openSubscriptions({ directory: installation.dataDir, env, clock: holdClock(Date.now()) });
  for (let n = 0; n < subscriptionCount; n++) {
    const delivery = { mode: 'webhook', url: `${receiver.url}/mcp/${n}`, secret: newSecret() };
    // The same filter in different words makes several subscriptions.
    const given = { endpoint: bench.endpoint.id, per: 'event', where: `size>${n}` };
    const params = { name: 'webhook.received', arguments: given, delivery, ttlMs: null };
    const { error } = await bench.app.call('events/subscribe', params);
    if (error) throw new Error(error.message);
  }
  await bench.idle();
  await bench.close();
  // The server runs as another user.
  if (process.getuid?.() === 0)
    for (const file of ['', ...readdirSync(installation.dataDir, { recursive: true }).map(String)])
      chownSync(join(installation.dataDir, file), nobodyId, nobodyId);
  return { receiver, endpoint: bench.endpoint as Endpoint };
}

export type Kept = Awaited<ReturnType<typeof openKept>>;

export async function openKept(api: Api, endpoint: Endpoint, receiver: Receiver) {
  const path = `/api/endpoints/${endpoint.id}`;
  const retry = { for: '24h', first: '1s', max: '5s' };
  for (const name of forwards) {
    const shape = name === 'shaped' && {
      request: { contentType: 'application/json', body: '{"n":{{json body.n}},"from":"{{endpoint}}"}' },
    };
    const order = name === 'ordered' && { mode: 'ordered', orderBy: 'body.lane' };
    await api.post(`${path}/forwards`, { name, url: `${receiver.url}/${name}`, retry, ...shape, ...order });
  }
  const kinds = [
    { kind: 'silence', minutes: 1, where: 'type:soak.rare' },
    { kind: 'bad_signatures', minutes: 5, count: 3 },
    { kind: 'new_type' },
    { kind: 'schema_change' },
    { kind: 'forward_stuck', minutes: 5 },
  ];
  const channel = { type: 'webhook', url: `${receiver.url}/alert` };
  for (const alert of kinds) await api.post(`${path}/alerts`, { name: alert.kind, channel, ...alert });
  const redacted = await api.createEndpoint('soak, redacted');
  const hasRedaction = await api
    .put(`/api/endpoints/${redacted.id}/redaction`, { rules: [{ in: 'body', path: 'email', with: 'remove' }] })
    .then(() => true)
    .catch((error: unknown) => {
      if (String(error).includes(': 404 ')) return false;
      throw error;
    });
  /** Id of each acknowledged event -> the number in its body. */
  const acknowledged = new Map<string, number>();
  const redactedIds: string[] = [];
  let sent = 0;

  const post = async (server: Server, to: Endpoint, body: object): Promise<string | undefined> => {
    const answer = await fetch(ingestAddress(server, to), { method: 'POST', body: JSON.stringify(body) });
    const { id } = (await answer.json()) as { id?: string };
    if (answer.status !== 200 || id === undefined) throw new Error(`a delivery was answered with ${answer.status}`);
    return id;
  };

  const forwardState = async (name: string): Promise<string> => {
    const { forwards } = (await (await api.get(`${path}/forwards`)).json()) as { forwards: Forward[] };
    return JSON.stringify(forwards.find(forward => forward.name === name));
  };

  return {
    endpoint,
    hasRedaction,
    acknowledged,
    /** Sends one delivery, and now and then one to the redacted endpoint. @param special an event type that no other event has */
    async send(server: Server, special?: string): Promise<void> {
      const n = sent++;
      const type = special ?? (n % 500 === 250 ? 'soak.rare' : `soak.kind${n % 20}`);
      const id = await post(server, endpoint, { type, n, lane: n % lanes, text: 'x'.repeat(n % 800) });
      if (id !== undefined) acknowledged.set(id, n);
      if (n % 50 === 0 && hasRedaction) {
        const other = await post(server, redacted, { n, email: personal });
        if (other !== undefined) redactedIds.push(other);
      }
    },
    /** @throws if something that was acknowledged is missing somewhere. @returns a summary */
    async verify(): Promise<string> {
      const stored = new Set<string>();
      for await (const { events } of api.events(endpoint.id)) for (const { id } of events) stored.add(id);
      const lost = [...acknowledged.keys()].filter(id => !stored.has(id));
      ensure(lost.length === 0, `${lost.length} acknowledged events are not stored, such as ${lost.slice(0, 3)}`);
      for (const name of forwards) {
        const got = receiver.set(`/${name}`);
        const missing = await untilNoProgress(() => [...acknowledged.values()].filter(n => !got.has(String(n))).length);
        ensure(missing === 0, `the forward ${name} did not send ${missing} events: ${await forwardState(name)}`);
      }
      for (let n = 0; n < subscriptionCount; n++) {
        const got = receiver.set(`/mcp/${n}`);
        const missing = await untilNoProgress(() => [...acknowledged.keys()].filter(id => !got.has(id)).length);
        ensure(missing === 0, `subscription ${n} did not get ${missing} events`);
      }
      for (const id of redactedIds) {
        const body = Buffer.from(await api.raw(id)).toString();
        ensure(!body.includes(personal) && body.includes('"n"'), `event ${id} is not redacted: ${body}`);
      }
      const { alerts } = (await (await api.get(`${path}/alerts`)).json()) as { alerts: Alert[] };
      const broken = alerts.filter(({ lastError }) => lastError !== null);
      ensure(broken.length === 0, `alerts failed: ${broken.map(({ lastError }) => lastError)}`);
      ensure(receiver.alerts() > 0, 'no alert was sent');
      const parts = [
        `${acknowledged.size} acknowledged events are stored, and reached ${forwards.length} forwards and ${subscriptionCount} subscriptions`,
        `${receiver.alerts()} notifications`,
        hasRedaction ? `${redactedIds.length} events are redacted` : 'no redaction in this build',
      ];
      return parts.join('; ');
    },
  };
}

/** Waits as long as the count falls at least once in the minute after which a destination that was down is asked again. @returns the count */
async function untilNoProgress(count: () => number): Promise<number> {
  for (;;) {
    const before = count();
    if (before === 0) return 0;
    const falls = await until('progress', 130_000, () => count() < before).then(
      () => true,
      () => false,
    );
    if (!falls) return count();
  }
}
