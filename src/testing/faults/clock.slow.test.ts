/* When the clock jumps an hour back and forth, no delivery is lost, repeated or refused. */
import { expect, test } from 'bun:test';
import { type HeldClock, holdClock } from '../clock.ts';
import { openTestServer } from '../test-server.ts';

const hour = 3_600_000;
type Page = { events: { id: string; receivedAt: number }[]; nextCursor: string | null };

test('every delivery is listed exactly once, ordered by its time of receipt', async () => {
  const clock: HeldClock = holdClock();
  const server = await openTestServer({ clock });
  try {
    const owner = await server.createAccount();
    const endpoint = await owner.createEndpoint();
    const sent: string[] = [];
    for (let i = 0; i < 40; i++) {
      clock.setNow(clock.now() + (i % 2 === 0 ? -hour : hour + 1));
      sent.push(await server.deliver(endpoint, `{"n":${i}}`));
    }
    const listed: Page['events'] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: Page = await owner.json(200, 'GET', `/api/events?endpointId=${endpoint.id}&limit=7${at}`);
      listed.push(...page.events);
      cursor = page.nextCursor;
      clock.setNow(clock.now() + (cursor === null ? 0 : -hour));
    }
    expect(listed.map(({ id }) => id).sort()).toEqual(sent.toSorted());
    const times = listed.map(({ receivedAt }) => receivedAt);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const found = await owner.json<{ eventCount: number; lastReceivedAt: number }>(
      200,
      'GET',
      `/api/endpoints/${endpoint.id}`,
    );
    expect(found).toMatchObject({ eventCount: 40, lastReceivedAt: Math.max(...times) });
  } finally {
    await server.close();
  }
});

test('a rate limit and a live stream do not depend on the wall clock', async () => {
  const clock: HeldClock = holdClock();
  const server = await openTestServer({ clock, env: { HOOKTAPE_RATE_LIMIT: '5' } });
  try {
    const owner = await server.createAccount();
    const endpoint = await owner.createEndpoint();
    const stream = await owner.call('GET', `/api/endpoints/${endpoint.id}/stream`);
    const reader = stream.body?.getReader();
    clock.setNow(clock.now() + -hour);
    const id = await server.deliver(endpoint);
    let seen = '';
    while (!seen.includes(id)) seen += new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) {
      clock.setNow(clock.now() + hour);
      statuses.push((await owner.call('GET', '/api/me')).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  } finally {
    await server.close();
  }
});
