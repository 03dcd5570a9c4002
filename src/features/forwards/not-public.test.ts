/* Forwards and replay jobs reach no address that is not public, however it is spelled. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type ForwardBench, openForwards } from '../../testing/forwards.ts';
import { notPublic } from '../../testing/not-public.ts';
import { ok } from '../../testing/replay-jobs.ts';
import type { Forward } from './model.ts';

setDefaultTimeout(60_000);

const maxForwards = 5;

let forwards: ForwardBench;
beforeAll(async () => {
  // Loopback is not allowed, because the server is not reached by a loopback address.
  forwards = await openForwards({ env: { HOOKTAPE_BASE_URL: 'https://hooks.example.com' } });
});
afterAll(() => forwards.close());

/** Of a destination on this host, which must never be asked. */
const urlsTo = (url: string): string[] => {
  const { port } = new URL(url);
  return notPublic.flatMap(host => [`http://${host}:${port}/`, `https://${host}:${port}/`]);
};

test('a forward to one is refused, or reaches nothing', async () => {
  const { url, received } = forwards.destination(ok);
  const urls = urlsTo(url);
  for (let at = 0; at < urls.length; at += maxForwards) {
    const endpoint = await forwards.ada.createEndpoint();
    const created: string[] = [];
    for (const to of urls.slice(at, at + maxForwards)) {
      const answer = await forwards.ada.call('POST', forwards.path(endpoint), { name: 'one', url: to });
      expect([to, answer.status]).toEqual([to, answer.status === 400 ? 400 : 201]);
      if (answer.status === 201) created.push(((await answer.json()) as Forward).id);
    }
    await forwards.server.deliver(endpoint, '{}');
    for (const id of created) {
      await forwards.until(endpoint, id, one => one.givenUp + one.failed === 1);
      const [event] = await forwards.deliveries(endpoint, id);
      // Some systems do not know a.localhost.
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
    for (const dests of [{ dest: to }, { dest: 'https://192.88.99.9/', dest2: to }]) {
      const answer = await forwards.ada.call('POST', '/api/replay-jobs', { endpointId: endpoint.id, ...dests });
      const isUnknown = answer.status === 202 && to.includes('a.localhost');
      expect([to, isUnknown || answer.status]).toEqual([to, isUnknown || 400]);
      if (isUnknown)
        await forwards.ada.call('POST', `/api/replay-jobs/${((await answer.json()) as { id: string }).id}/cancel`);
    }
  expect(received).toHaveLength(0);
});
