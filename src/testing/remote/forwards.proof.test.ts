/* Forwards of two processes on one libSQL server: each event goes once and in order, and one takes over when the other is killed. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Forward } from '../../features/forwards/model.ts';
import { rowsOf } from '../events.ts';
import { eventually } from '../poll.ts';
import type { TestServer } from '../test-server.ts';
import { noLibsqlServer } from './libsql-server.ts';
import { type Arrival, openProcesses, type Processes } from './processes.ts';

const lanes = 3;
const bodyOf = (n: number): string => `{"lane":${n % lanes}}`;
const path = (endpoint: { id: string }): string => `/api/endpoints/${endpoint.id}/forwards`;

describe.skipIf(noLibsqlServer !== undefined)('forwards of two processes on one libSQL server', () => {
  let processes: Processes;
  beforeEach(async () => {
    processes = await openProcesses();
  }, 120_000);
  afterEach(() => processes.close());

  const settledOf = async (server: TestServer): Promise<unknown> =>
    rowsOf(server, `SELECT (SELECT count(*) FROM queue_items), (SELECT count(*) FROM replays WHERE via = 'forward')`);
  /** What arrived earlier than another of its lane that was stored before it. */
  const outOfOrder = (arrivals: readonly Arrival[]): Arrival[] =>
    arrivals.filter(({ seq, lane }, i) => arrivals.slice(0, i).some(one => one.lane === lane && one.seq > seq));

  test('that both take deliveries: each event once, in order where it is ordered', async () => {
    const [one, two] = [await processes.open(), await processes.open()];
    const ada = await one.createAccount();
    const endpoint = await ada.createEndpoint();
    const [parallel, ordered] = [processes.destination(), processes.destination()];
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
    }, 120_000);
    for (const { arrivals } of [parallel, ordered]) {
      expect(arrivals).toHaveLength(count);
      expect(new Set(arrivals.map(({ seq }) => seq)).size).toBe(count);
    }
    expect(outOfOrder(ordered.arrivals)).toEqual([]);
  }, 120_000);

  test('of which one is killed while it sends: the other goes on within 10 s, and only what was under way is sent again', async () => {
    let aheadMs = 0;
    // The first destination answers ten times, and then no more until the kill.
    const released = Promise.withResolvers<void>();
    const { url, arrivals } = processes.destination(n => (n > 10 ? released.promise : undefined));
    const first = await processes.open();
    const ada = await first.createAccount();
    const endpoint = await ada.createEndpoint();
    await ada.json(201, 'POST', path(endpoint), { name: 'o', url, mode: 'ordered', orderBy: 'body.lane' });
    await first.close();

    const killed = await processes.start();
    const post = (n: number) =>
      fetch(`${killed.origin}${new URL(endpoint.url).pathname}`, { method: 'POST', body: bodyOf(n) });
    for (let n = 0; n < 30; n++) expect((await post(n)).status).toBe(200);
    await eventually(() => arrivals.length === 10 + lanes, 20_000);
    const two = await processes.open(() => aheadMs);
    for (let n = 30; n < 60; n++) await two.deliver(endpoint, bodyOf(n));
    await killed.kill();
    released.resolve();
    const before = arrivals.length;
    const step = async (ms: number): Promise<void> => {
      aheadMs += ms;
      two.services.queues.wake('forward', '');
      await two.services.queues.idle();
    };
    await step(2000);
    expect(arrivals.length).toBe(before);
    await eventually(async () => {
      await step(1000);
      return new Set(arrivals.map(({ seq }) => seq)).size === 60;
    }, 120_000);
    await eventually(async () => JSON.stringify(await settledOf(two)) === '[[0,60]]', 20_000);
    expect(arrivals.length).toBeLessThanOrEqual(60 + lanes);
    expect(outOfOrder(arrivals)).toEqual([]);
  }, 120_000);
});
