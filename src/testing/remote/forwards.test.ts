/* Forwards of two processes on one libSQL server: each event goes once and in order, and one takes over when the other is killed. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEventId } from '../../core/ids.ts';
import type { Forward } from '../../features/forwards/model.ts';
import { startClocked } from '../clocked-server.ts';
import { rowsOf } from '../events.ts';
import { eventually } from '../poll.ts';
import { openTestServer, type TestServer } from '../test-server.ts';
import { type LibsqlServer, noLibsqlServer, startLibsqlServer } from './libsql-server.ts';

const lanes = 3;
const bodyOf = (n: number): string => `{"lane":${n % lanes}}`;
const path = (endpoint: { id: string }): string => `/api/endpoints/${endpoint.id}/forwards`;

type Arrival = { seq: number; lane: number };

describe.skipIf(noLibsqlServer !== undefined)('forwards of two processes on one libSQL server', () => {
  let libsql: LibsqlServer;
  const close: (() => unknown)[] = [];
  beforeEach(async () => {
    libsql = await startLibsqlServer();
  }, 20_000);
  afterEach(async () => {
    for (const one of close.splice(0).reverse()) await one();
    await libsql.remove();
  });

  const settings = () => ({
    HOOKTAPE_DATABASE_URL: libsql.url,
    HOOKTAPE_SECRET: 'the same secret for every process of an installation',
    HOOKTAPE_REPLAY_ALLOW: '127.0.0.1',
  });
  const open = async (aheadMs: () => number = () => 0): Promise<TestServer> => {
    const clock = { now: () => Date.now() + aheadMs(), monotonic: () => performance.now() + aheadMs() };
    const server = await openTestServer({ env: settings(), clock });
    close.push(() => server.close());
    return server;
  };
  /** @param answer awaited before each answer */
  const openDestination = (answer: (n: number) => unknown = () => {}) => {
    const arrivals: Arrival[] = [];
    const http = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { lane } = (await request.json()) as { lane: number };
        const seq = parseEventId(request.headers.get('x-service-replay') ?? '')?.seq ?? 0;
        await answer(arrivals.push({ seq, lane }));
        return new Response(null, { status: 204 });
      },
    });
    close.push(() => http.stop(true));
    return { url: `http://127.0.0.1:${http.port}/hook`, arrivals };
  };
  const settledOf = async (server: TestServer): Promise<unknown> =>
    rowsOf(server, `SELECT (SELECT count(*) FROM queue_items), (SELECT count(*) FROM replays WHERE via = 'forward')`);
  /** What arrived earlier than another of its lane that was stored before it. */
  const outOfOrder = (arrivals: readonly Arrival[]): Arrival[] =>
    arrivals.filter(({ seq, lane }, i) => arrivals.slice(0, i).some(one => one.lane === lane && one.seq > seq));

  test('that both take deliveries: each event once, in order where it is ordered', async () => {
    const [one, two] = [await open(), await open()];
    const ada = await one.createAccount();
    const endpoint = await ada.createEndpoint();
    const [parallel, ordered] = [openDestination(), openDestination()];
    await ada.json(201, 'POST', path(endpoint), { name: 'p', url: parallel.url });
    await ada.json(201, 'POST', path(endpoint), {
      name: 'o',
      url: ordered.url,
      mode: 'ordered',
      orderBy: 'body.lane',
    });
    const count = 90;
    await Promise.all(Array.from({ length: count }, (_, n) => (n % 2 ? one : two).deliver(endpoint, bodyOf(n))));
    await eventually(async () => {
      const { forwards } = await ada.json<{ forwards: Forward[] }>(200, 'GET', path(endpoint));
      const settled = await rowsOf(one, `SELECT count(*) FROM replays WHERE via = 'forward'`);
      return forwards.every(({ waiting, failed }) => waiting + failed === 0) && settled[0]?.[0] === 2 * count;
    }, 40_000);
    for (const { arrivals } of [parallel, ordered]) {
      expect(arrivals).toHaveLength(count);
      expect(new Set(arrivals.map(({ seq }) => seq)).size).toBe(count);
    }
    expect(outOfOrder(ordered.arrivals)).toEqual([]);
  }, 60_000);

  test('of which one is killed while it sends: the other goes on 40 s later, and only what was under way is sent again', async () => {
    let aheadMs = 0;
    const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
    close.push(() => rmSync(directory, { recursive: true, force: true }));
    // The first destination answers ten times, and then no more until the kill.
    const released = Promise.withResolvers<void>();
    const { url, arrivals } = openDestination(n => (n > 10 ? released.promise : undefined));
    const first = await open();
    const ada = await first.createAccount();
    const endpoint = await ada.createEndpoint();
    await ada.json(201, 'POST', path(endpoint), { name: 'o', url, mode: 'ordered', orderBy: 'body.lane' });
    await first.close();
    close.pop();

    const killed = await startClocked(directory, settings());
    close.push(killed.kill);
    const post = (n: number) =>
      fetch(`${killed.origin}${new URL(endpoint.url).pathname}`, { method: 'POST', body: bodyOf(n) });
    for (let n = 0; n < 30; n++) expect((await post(n)).status).toBe(200);
    await eventually(() => arrivals.length === 10 + lanes, 20_000);
    const two = await open(() => aheadMs);
    for (let n = 30; n < 60; n++) await two.deliver(endpoint, bodyOf(n));
    await killed.kill();
    released.resolve();
    const before = arrivals.length;
    const step = async (ms: number): Promise<void> => {
      aheadMs += ms;
      two.services.queues.wake('forward', '');
      await two.services.queues.idle();
    };
    for (let ms = 0; ms < 30_000; ms += 10_000) {
      await step(10_000);
      expect(arrivals.length).toBe(before);
    }
    await eventually(async () => {
      await step(5000);
      return new Set(arrivals.map(({ seq }) => seq)).size === 60;
    }, 30_000);
    await eventually(async () => JSON.stringify(await settledOf(two)) === '[[0,60]]', 20_000);
    expect(arrivals.length).toBeLessThanOrEqual(60 + lanes);
    expect(outOfOrder(arrivals)).toEqual([]);
  }, 90_000);
});
