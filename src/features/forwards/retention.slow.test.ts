/* Events that are past their retention, or are removed, leave a forward, with a held clock. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { type HeldClock, holdClock } from '../../testing/clock.ts';
import { rowsOf } from '../../testing/events.ts';
import { type ForwardBench, openForwards } from '../../testing/forwards.ts';
import { ok } from '../../testing/replay-jobs.ts';

setDefaultTimeout(120_000);

const hour = 3_600_000;
let clock: HeldClock;
let forwards: ForwardBench;
beforeEach(async () => {
  clock = holdClock();
  forwards = await openForwards({ clock });
});
afterEach(() => forwards.close());

const busy = (): Response => new Response(null, { status: 503 });

test('counts and lists have no event past its retention, before any sweep; pinned ones stay', async () => {
  const endpoint = await forwards.ada.createEndpoint();
  await forwards.ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { retention: '1h' });
  const { url } = forwards.destination(busy);
  const slow = { for: '24h', first: '12h', max: '12h' };
  const { id: failing } = await forwards.create(endpoint, { url, retry: slow });
  const { id: givenUp } = await forwards.create(endpoint, { url, retry: { for: '1ms', first: '1s', max: '1s' } });
  const { id: paused } = await forwards.create(endpoint, { url, enabled: false });
  const all = [failing, givenUp, paused];
  const counts = () =>
    Promise.all(
      all.map(async id => {
        const one = await forwards.show(endpoint, id);
        const listed = await forwards.deliveries(endpoint, id);
        return [one.failed, one.givenUp, one.waiting, one.lagS, one.lastStatus, listed.length];
      }),
    );
  await forwards.server.deliver(endpoint, '{"n":0}');
  clock.advance(1000);
  const pinned = await forwards.server.deliver(endpoint, '{"n":1}');
  await forwards.ada.json(200, 'PUT', `/api/events/${pinned}/pin`, {});
  clock.advance(1000);
  await forwards.server.deliver(endpoint, '{"n":2}');
  await forwards.idle();
  expect(await counts()).toEqual([
    [3, 0, 0, 2, 503, 3],
    [0, 3, 0, 0, null, 3],
    [0, 0, 3, 2, null, 3],
  ]);

  clock.advance(hour - 1999);
  expect(await counts()).toEqual([
    [2, 0, 0, 3599, 503, 2],
    [0, 2, 0, 0, null, 2],
    [0, 0, 2, 3599, null, 2],
  ]);
  const path = `${forwards.path(endpoint, failing)}/skip`;
  expect(await forwards.ada.json(200, 'POST', path, { dryRun: true })).toEqual({ matched: 2 });

  await forwards.ada.json(200, 'DELETE', `/api/events/${pinned}/pin`);
  clock.advance(hour);
  const none = [0, 0, 0, 0, null, 0];
  expect(await counts()).toEqual([none, none, none]);
  forwards.server.services.retention.wake();
  await forwards.server.services.background.idle();
  expect(await counts()).toEqual([none, none, none]);
  expect(await rowsOf(forwards.server, 'SELECT count(*) FROM queue_items')).toEqual([[0]]);
});

test('an event that is removed leaves at once and does not hold up its lane; a replay job keeps it', async () => {
  const endpoint = await forwards.ada.createEndpoint();
  let isBusy = true;
  const { url, received } = forwards.destination(() => (isBusy ? busy() : ok()));
  const retry = { for: '24h', first: '1h', max: '1h' };
  const { id } = await forwards.create(endpoint, { url, mode: 'ordered', orderBy: 'body.lane', retry });
  const events: string[] = [];
  for (let n = 0; n < 6; n++) events.push(await forwards.server.deliver(endpoint, `{"lane":${n % 2},"n":${n}}`));
  await forwards.idle();
  expect(await forwards.show(endpoint, id)).toMatchObject({ failed: 2, waiting: 4 });
  const { id: job } = await forwards.ada.json<{ id: string }>(202, 'POST', '/api/replay-jobs', {
    endpointId: endpoint.id,
    dest: forwards.destination(ok).url,
  });
  await forwards.idle();
  // The head of one lane with its successor, and a waiting event of the other lane.
  const deletion = { where: 'body.lane:0 body.n<3' };
  await forwards.ada.json(200, 'POST', `/api/endpoints/${endpoint.id}/events/delete`, deletion);
  await forwards.ada.json(200, 'DELETE', `/api/events/${events[3]}`);
  expect(await forwards.show(endpoint, id)).toMatchObject({ failed: 1, waiting: 2, givenUp: 0 });
  expect((await forwards.deliveries(endpoint, id)).map(({ eventId }) => eventId)).toEqual(
    [1, 4, 5].map(n => events[n] ?? ''),
  );
  isBusy = false;
  const before = received.length;
  clock.advance(hour);
  await forwards.idle();
  expect(await forwards.show(endpoint, id)).toMatchObject({ failed: 0, waiting: 0, lagS: 0 });
  const sent = received.slice(before).map(({ body }) => body);
  expect(sent.filter(body => body.includes('"lane":0'))).toEqual(['{"lane":0,"n":4}']);
  expect(sent.filter(body => body.includes('"lane":1'))).toEqual(['{"lane":1,"n":1}', '{"lane":1,"n":5}']);
  const { items } = await forwards.ada.json<{ items: unknown[] }>(200, 'GET', `/api/replay-jobs/${job}/items`);
  expect(items).toHaveLength(6);
});
