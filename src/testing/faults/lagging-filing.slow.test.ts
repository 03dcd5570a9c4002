/* Whatever reads acknowledged deliveries that are not filed yet waits for them; and what happens while filing fails. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { hooktape } from '../command.ts';
import { type HeldFiling, openHeldFiling } from '../held-filing.ts';
import { eventually } from '../poll.ts';
import { isRemote } from '../remote/databases.ts';
import { readSse } from '../sse.ts';
import { testSecret } from '../test-server.ts';

type EventPage = { events: { id: string }[] };

let harness: HeldFiling;
beforeEach(async () => {
  harness = await openHeldFiling();
});
afterEach(() => harness.close());

describe.skipIf(isRemote)('while filing lags behind', () => {
  test('an import takes its place between the deliveries before and after it', async () => {
    harness.hold();
    const first = await harness.deliverAll('a');
    const event = { receivedAt: Date.now(), method: 'POST', path: '/imported', query: null, rawHeaders: [] };
    const imported = harness.server.services.imports.add(harness.endpoint.id, [
      { ...event, payloadRaw: 'i', payloadEncoding: 'utf8' },
    ]);
    const listed = harness.idsIn(harness.server);
    harness.release();
    expect(await imported).toMatchObject({ imported: 1 });
    const last = await harness.deliverAll('b');
    await listed;
    const ids = await harness.idsIn(harness.server);
    expect(ids).toEqual([...first, ids[1] ?? '', ...last]);
    expect(await harness.bodyIn(harness.server, ids[1] ?? '')).toBe('i');
  });

  test('a live stream sends every event once and in order', async () => {
    const origin = await harness.server.listen();
    const stream = await readSse(`${origin}/api/endpoints/${harness.endpoint.id}/stream`, {
      authorization: `Bearer ${harness.ada.key}`,
    });
    try {
      await eventually(() => stream.text().length > 0);
      harness.hold();
      const ids = await harness.deliverAll('a', 'b', 'c');
      harness.release();
      ids.push(...(await harness.deliverAll('d')));
      const eventIds = () => stream.messages.filter(({ event }) => event === 'event').map(({ data }) => data['id']);
      await eventually(() => eventIds().length >= ids.length);
      expect(eventIds()).toEqual(ids);
    } finally {
      stream.close();
    }
  });

  test('reads, exports and backups wait for what was acknowledged before them', async () => {
    harness.hold();
    const ids = await harness.deliverAll('a', 'b', 'c');
    const backup = join(harness.base, 'backup.db');
    const results = Promise.all([
      harness.idsIn(harness.server),
      harness.ada.call('GET', `/api/endpoints/${harness.endpoint.id}/export`).then(response => response.json()),
      harness.ada.json<{ eventCount: number }>(200, 'GET', `/api/endpoints/${harness.endpoint.id}`),
      harness.server.services.database.maintenance?.copyInto(backup),
    ]);
    harness.release();
    const [listed, exported, { eventCount }] = await results;
    expect(listed).toEqual(ids);
    expect((exported as EventPage).events.map(({ id }) => id)).toEqual(ids);
    expect(eventCount).toBe(3);
    const restored = join(harness.base, 'restored');
    const env = { HOOKTAPE_DATA_DIR: restored, HOOKTAPE_SECRET: testSecret };
    expect(await hooktape(env, 'restore', backup)).toMatchObject({ exitCode: 0 });
    await harness.withNextServer(restored, async next => expect(await harness.idsIn(next)).toEqual(ids));
  });

  test('a deletion covers what was acknowledged before it', async () => {
    harness.hold();
    await harness.deliverAll('a', 'b');
    const deleted = harness.ada.call('DELETE', `/api/endpoints/${harness.endpoint.id}`);
    harness.release();
    expect((await deleted).status).toBe(200);
    const stored = async () =>
      (await harness.server.services.database.client.execute('SELECT count(*) FROM events')).rows[0]?.[0];
    await eventually(() => harness.server.services.journal?.backlog().rows === 0);
    // The sweeper removes them in the background.
    await eventually(async () => (await stored()) === 0);
  });
});

describe.skipIf(isRemote)('while filing fails', () => {
  test('nothing is accepted and /readyz says why; then it heals by itself', async () => {
    const before = await harness.deliverAll('a');
    expect(await harness.idsIn(harness.server)).toEqual(before);
    harness.hold();
    const acknowledged = await harness.deliverAll('b');
    harness.setFailure(Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }));
    const listed = harness.idsIn(harness.server);
    harness.release();
    expect(await listed).toEqual(before);
    const deliver = async () =>
      fetch(`${await harness.server.listen()}${new URL(harness.endpoint.url).pathname}`, { method: 'POST', body: 'x' });
    const refused = await deliver();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBeString();
    await eventually(async () => (await harness.server.fetch('/readyz')).status === 503);
    expect(await (await harness.server.fetch('/readyz')).text()).toContain('stor');

    const directory = harness.killedCopy();
    harness.setFailure(undefined);
    await eventually(async () => (await deliver()).status === 200);
    const ids = await harness.idsIn(harness.server);
    expect(ids).toEqual([...before, ...acknowledged, ids[2] ?? '']);
    await eventually(async () => (await harness.server.fetch('/readyz')).status === 200);

    await harness.withNextServer(directory, async next =>
      expect(await harness.idsIn(next)).toEqual([...before, ...acknowledged]),
    );
  });
});
