/* Forwards and replay jobs reach no address that is not public, however it is spelled. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type ForwardBench, openForwards } from '../../testing/forwards.ts';
import { notPublic } from '../../testing/not-public.ts';
import { ok } from '../../testing/replay-jobs.ts';
import type { Forward } from './model.ts';

setDefaultTimeout(120_000);

const maxForwards = 5;
/** A name that cannot be resolved is taken: each attempt checks it again. */
const unknown = 'https://name.invalid/';

let forwards: ForwardBench;
beforeAll(async () => {
  // Loopback is not allowed, because the server is not reached by a loopback address.
  forwards = await openForwards({ env: { HOOKTAPE_BASE_URL: 'https://hooks.example.com' } });
});
afterAll(() => forwards.close());

/** Of a destination on this host, which must never be asked. */
const urlsTo = (url: string): string[] => {
  const { port } = new URL(url);
  return notPublic.map((host, n) => `${n % 2 === 0 ? 'http' : 'https'}://${host}:${port}/`);
};

test('a forward to one is refused, new or changed; where its name became one later, its events are given up and reach nothing', async () => {
  const { url, received } = forwards.destination(ok);
  const urls = urlsTo(url);
  const { client } = forwards.server.services.database;
  for (let at = 0; at < urls.length; at += maxForwards) {
    const endpoint = await forwards.ada.createEndpoint();
    const path = forwards.path(endpoint);
    const ids: string[] = [];
    for (const to of urls.slice(at, at + maxForwards)) {
      const { id } = await forwards.create(endpoint, { url: unknown, enabled: false });
      const changed = await forwards.ada.call('PATCH', forwards.path(endpoint, id), { url: to });
      await forwards.ada.json(200, 'DELETE', forwards.path(endpoint, id));
      const created = await forwards.ada.call('POST', path, { name: 'one', url: to, enabled: false });
      // Some systems do not know a.localhost.
      const isUnknown = to.includes('a.localhost') && changed.status === 200;
      const expected = isUnknown ? [200, 201] : [400, 400];
      expect([to, changed.status, created.status]).toEqual([to, ...expected]);
      const { error = 'cannot be resolved' } = (await changed.json()) as { error?: string };
      if (isUnknown) await forwards.ada.json(200, 'DELETE', `${path}/${((await created.json()) as Forward).id}`);
      const later = await forwards.create(endpoint, { name: to.slice(0, 40), url: unknown });
      if (!/not a public address|cannot be resolved/.test(error)) continue;
      await client.execute({ sql: 'UPDATE forwards SET url = ? WHERE id = ?', args: [Buffer.from(to), later.id] });
      ids.push(later.id);
    }
    await forwards.server.deliver(endpoint, '{}');
    for (const id of ids) {
      await forwards.until(endpoint, id, one => one.givenUp + one.failed === 1);
      const [event] = await forwards.deliveries(endpoint, id);
      expect(event?.lastError).toMatch(/not a public address|cannot be resolved/);
    }
  }
  expect(received).toHaveLength(0);
});

test('a replay job to one is refused, as its first and as its second destination', async () => {
  const { url, received } = forwards.destination(ok);
  const endpoint = await forwards.ada.createEndpoint();
  await forwards.server.deliver(endpoint, '{}');
  for (const to of urlsTo(url))
    for (const dests of [{ dest: to }, { dest: unknown, dest2: to }]) {
      const answer = await forwards.ada.call('POST', '/api/replay-jobs', { endpointId: endpoint.id, ...dests });
      const isUnknown = answer.status === 202 && to.includes('a.localhost');
      expect([to, isUnknown || answer.status]).toEqual([to, isUnknown || 400]);
      if (isUnknown)
        await forwards.ada.call('POST', `/api/replay-jobs/${((await answer.json()) as { id: string }).id}/cancel`);
    }
  expect(received).toHaveLength(0);
});
