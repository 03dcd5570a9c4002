/* A destination that answers 429 with Retry-After, with a held clock: it rests as a whole, and not only the event that it refused. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { type HeldClock, holdClock } from '../../testing/clock.ts';
import { type ForwardBench, openForwards } from '../../testing/forwards.ts';
import { eventually } from '../../testing/poll.ts';
import { ok } from '../../testing/replay-jobs.ts';

setDefaultTimeout(120_000);

let clock: HeldClock;
let forwards: ForwardBench;
beforeEach(async () => {
  clock = holdClock();
  forwards = await openForwards({ clock });
});
afterEach(() => forwards.close());

const perSecond = 5;
const wait = (seconds: number): Response =>
  new Response(null, { status: 429, headers: { 'retry-after': `${seconds}` } });

/** It accepts so many requests until `refill` is called. */
function limitedDestination(seconds: number) {
  let left = perSecond;
  let [accepted, refused] = [0, 0];
  const { url } = forwards.destination(() => {
    if (left-- > 0) {
      accepted++;
      return ok();
    }
    refused++;
    return wait(seconds);
  });
  return {
    url,
    accepted: () => accepted,
    refused: () => refused,
    refill: () => {
      left = perSecond;
    },
  };
}

for (const mode of ['parallel', 'ordered'] as const)
  test(`${mode}: nothing is sent while it rests, and then it refuses about one request for each rest`, async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const destination = limitedDestination(1);
    const lanes = mode === 'ordered' ? { mode, orderBy: 'body.n' } : { mode };
    const { id } = await forwards.create(endpoint, { url: destination.url, ...lanes, enabled: false });
    const count = 60;
    await Promise.all(Array.from({ length: count }, (_, n) => forwards.server.deliver(endpoint, `{"n":${n}}`)));
    await forwards.act(endpoint, id, 'resume');
    await forwards.idle();
    let rests = 0;
    while (destination.accepted() < count) {
      if (++rests > 30) throw new Error(`only ${destination.accepted()} of ${count} events were accepted`);
      const before = [destination.accepted(), destination.refused()];
      destination.refill();
      clock.advance(999);
      if (rests === 1) await forwards.server.deliver(endpoint, '{"n":"during the rest"}');
      await forwards.idle();
      expect([destination.accepted(), destination.refused()]).toEqual(before);
      expect(await forwards.show(endpoint, id)).toMatchObject({ state: 'ok', probeAt: clock.now() + 1 });
      clock.advance(1);
      await forwards.idle();
    }
    // The first time six are under way at once; later they begin with one.
    expect(destination.refused()).toBeLessThanOrEqual(6 + rests);
    destination.refill();
    clock.advance(1000);
    await forwards.idle();
    const none = { waiting: 0, failed: 0, givenUp: 0, failingSince: null, probeAt: null };
    expect(await forwards.show(endpoint, id)).toMatchObject(none);
    expect(destination.accepted()).toBe(count + 1);
  });

test('a person can ask it at once, and another URL does not rest', async () => {
  const endpoint = await forwards.ada.createEndpoint();
  const destination = limitedDestination(3600);
  const { id } = await forwards.create(endpoint, { url: destination.url });
  for (let n = 0; n < 20; n++) await forwards.server.deliver(endpoint, `{"n":${n}}`);
  await forwards.idle();
  expect(destination.accepted()).toBe(5);
  for (let round = 2; round <= 3; round++) {
    const refused = destination.refused();
    destination.refill();
    await forwards.act(endpoint, id, round === 2 ? 'retry' : 'resume');
    await forwards.idle();
    expect([destination.accepted(), destination.refused()]).toEqual([round * 5, refused + 1]);
  }
  const other = forwards.destination(ok);
  await forwards.ada.json(200, 'PATCH', forwards.path(endpoint, id), { url: other.url });
  await forwards.server.deliver(endpoint, '{"n":20}');
  await forwards.idle();
  expect(other.received.map(({ body }) => body)).toContain('{"n":20}');
});

test('answers to requests that were under way do not end the rest', async () => {
  const endpoint = await forwards.ada.createEndpoint();
  const held = Promise.withResolvers<void>();
  const { url, received } = forwards.destination(async ({ body }) => {
    if (body === 'limited') return wait(60);
    await held.promise;
    return new Response(null, { status: body === 'failed' ? 503 : 200 });
  });
  const { id } = await forwards.create(endpoint, { url, enabled: false });
  for (const body of ['accepted', 'failed', 'limited']) await forwards.server.deliver(endpoint, body);
  await forwards.act(endpoint, id, 'resume');
  await eventually(async () => (await forwards.show(endpoint, id)).probeAt !== null);
  expect(received).toHaveLength(3);
  held.resolve();
  await forwards.idle();
  await forwards.server.deliver(endpoint, 'later');
  clock.advance(59_000);
  await forwards.idle();
  expect(received).toHaveLength(3);
  expect(await forwards.show(endpoint, id)).toMatchObject({ state: 'ok', failingSince: null });
  clock.advance(1000);
  await forwards.idle();
  expect(received.length).toBeGreaterThan(3);
});

test('a person who asks it while another request is under way does not wait for the end of the rest', async () => {
  const endpoint = await forwards.ada.createEndpoint();
  const held = Promise.withResolvers<void>();
  let limited = 0;
  const { url } = forwards.destination(async ({ body }) => {
    if (body === 'limited') return limited++ === 0 ? wait(3600) : ok();
    await held.promise;
    return ok();
  });
  const { id } = await forwards.create(endpoint, { url, enabled: false });
  for (const body of ['held', 'limited']) await forwards.server.deliver(endpoint, body);
  await forwards.act(endpoint, id, 'resume');
  await eventually(async () => (await forwards.show(endpoint, id)).probeAt !== null);
  const [event] = await forwards.deliveries(endpoint, id, 'state=failed');
  await forwards.act(endpoint, id, 'retry', { eventId: event?.eventId });
  held.resolve();
  await forwards.idle();
  expect(limited).toBe(2);
});
