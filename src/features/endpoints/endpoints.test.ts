import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

type Endpoint = {
  id: string;
  name: string;
  url: string;
  path: string;
  createdAt: number;
  eventCount: number;
  lastReceivedAt: number | null;
  retention: string | null;
  previousUrls: object[];
  paused: boolean;
  pausedAt: number | null;
  refusedWhilePaused: number | null;
  customAnswers: boolean;
  guard: object | null;
  alerts: object | null;
  declared: boolean;
};

const hour = 3_600_000;
const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;

beforeAll(async () => {
  server = await openTestServer({ clock, env: { HOOKTAPE_BASE_URL: 'https://hooks.example.com/' } });
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

const listOf = async (caller: TestAccount) =>
  (await caller.json<{ endpoints: Endpoint[] }>(200, 'GET', '/api/endpoints')).endpoints;

describe('POST /api/endpoints', () => {
  test('201 with an address below BASE_URL whose token is not the id', async () => {
    const endpoint = await ada.json<Endpoint>(201, 'POST', '/api/endpoints', { name: ' Stripe live ' });
    expect(endpoint).toEqual({
      id: endpoint.id,
      name: 'Stripe live',
      url: endpoint.url,
      path: new URL(endpoint.url).pathname,
      createdAt: clock.now(),
      eventCount: 0,
      lastReceivedAt: null,
      retention: null,
      previousUrls: [],
      paused: false,
      pausedAt: null,
      refusedWhilePaused: null,
      guard: null,
      customAnswers: false,
      alerts: { enabled: 0, firing: 0 },
      declared: false,
    });
    expect(endpoint.id).toStartWith('ep_');
    expect(endpoint.url).toMatch(/^https:\/\/hooks\.example\.com\/in\/[0-9a-z]{32}$/);
    expect(endpoint.url).not.toContain(endpoint.id.slice(3));
    expect(await listOf(ada)).toContainEqual(endpoint);
    expect(await ada.json<Endpoint>(200, 'GET', `/api/endpoints/${endpoint.id}`)).toEqual(endpoint);
  });

  test('403 for a second endpoint on the free plan, also for concurrent requests', async () => {
    const free = await server.createAccount('free@example.com', { plan: 'free' });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => free.call('POST', '/api/endpoints', { name: 'x' })),
    );
    expect(answers.map(answer => answer.status).sort()).toEqual([201, 403, 403, 403, 403]);
    const [only] = await listOf(free);
    await free.json(200, 'DELETE', `/api/endpoints/${only?.id}`);
    await free.createEndpoint();
  });

  test('a plan change applies to the limit at once', async () => {
    const free = await server.createAccount('grows@example.com', { plan: 'free' });
    await free.createEndpoint();
    await free.json(403, 'POST', '/api/endpoints', { name: 'second' });
    await server.services.account.setPlan(free.email, 'pro');
    await free.createEndpoint('second');
    expect(await free.json<{ plan: string }>(200, 'GET', '/api/me')).toMatchObject({ plan: 'pro' });
  });

  test('no endpoint is created for a team without accounts', async () => {
    await server.createAccount('hal@example.com');
    const { teamId } = await server.services.account.byEmail('hal@example.com');
    await server.services.account.remove('hal@example.com');
    const late: unknown = await server.services.endpoints.create({ teamId, plan: 'pro' }, 'late').catch(error => error);
    expect(late).toMatchObject({ code: 'unauthorized' });
  });

  test('the team shares its endpoints', async () => {
    const mate = await server.createAccount('mate@example.com', { teamOf: 'ada@example.com' });
    const made = await mate.createEndpoint('shared');
    expect((await listOf(ada)).map(({ id }) => id)).toContain(made.id);
  });
});

describe('GET /api/endpoints with If-None-Match', () => {
  const ask = (who: TestAccount, etag = '') =>
    server.fetch('/api/endpoints', { headers: { authorization: `Bearer ${who.key}`, 'if-none-match': etag } });
  const etagOf = async (who: TestAccount) => (await ask(who, '"none"')).headers.get('etag') ?? '';

  test('304 until something in the list changes', async () => {
    const eve = await server.createAccount('eve@example.com');
    const endpoint = await eve.createEndpoint('shop');
    const path = `/api/endpoints/${endpoint.id}`;
    const changes: Record<string, () => Promise<unknown>> = {
      delivery: () => server.deliver(endpoint),
      pause: () => eve.json(200, 'PATCH', path, { paused: true }),
      'refused delivery': () => fetch(endpoint.url.replace('https://hooks.example.com', origin), { method: 'POST' }),
      answers: () => eve.json(200, 'PUT', `${path}/answers`, { rules: [{ name: 'gone', answer: { status: 410 } }] }),
      'default answers': () => eve.json(200, 'DELETE', `${path}/answers`),
      rotation: () => eve.json(200, 'POST', `${path}/rotate`, { overlap: '1h' }),
      'end of the overlap': async () => clock.advance(hour),
      plan: () => server.services.account.setPlan(eve.email, 'free'),
      deletion: () => eve.json(200, 'DELETE', path),
    };
    const origin = await server.listen();
    for (const [what, change] of Object.entries(changes)) {
      const etag = await etagOf(eve);
      expect([what, (await ask(eve, etag)).status, await listOf(eve)]).toEqual([what, 304, await listOf(eve)]);
      await change();
      expect([what, (await ask(eve, etag)).status]).toEqual([what, 200]);
    }
  });

  test('a change of another team leaves it as it is', async () => {
    const zoe = await server.createAccount('zoe@example.com');
    const etag = await etagOf(zoe);
    await server.deliver(await bob.createEndpoint());
    expect((await ask(zoe, etag)).status).toBe(304);
  });
});

describe('PATCH /api/endpoints/{id}', () => {
  test('200 with the stored name', async () => {
    const { id } = await ada.createEndpoint();
    expect(await ada.json(200, 'PATCH', `/api/endpoints/${id}`, { name: ' Ünï ' })).toEqual({ ok: true, name: 'Ünï' });
    expect(await ada.json(200, 'GET', `/api/endpoints/${id}`)).toMatchObject({ name: 'Ünï' });
  });

  test('400 for an invalid name, and the old one is kept', async () => {
    const { id } = await ada.createEndpoint('before');
    for (const name of ['', ' ', 'x'.repeat(101), 'a\tb', 1])
      await ada.json(400, 'PATCH', `/api/endpoints/${id}`, { name });
    expect(await ada.json(200, 'GET', `/api/endpoints/${id}`)).toMatchObject({ name: 'before' });
  });
});

describe('DELETE /api/endpoints/{id}', () => {
  test('its events are not readable any more, and a second DELETE is 404', async () => {
    const endpoint = await ada.createEndpoint();
    const event = await server.deliver(endpoint);
    expect(await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`)).toEqual({ ok: true });
    for (const path of [
      `/api/events/${event}`,
      `/api/events/${event}/raw`,
      `/api/events?endpointId=${endpoint.id}`,
      `/api/endpoints/${endpoint.id}`,
    ])
      await ada.json(404, 'GET', path);
    await ada.json(404, 'DELETE', `/api/endpoints/${endpoint.id}`);
    expect((await listOf(ada)).map(({ id }) => id)).not.toContain(endpoint.id);
  });
});

describe('an endpoint of another team', () => {
  test('is answered exactly like a missing one, in every operation', async () => {
    const theirs = await bob.createEndpoint();
    const event = await server.deliver(theirs);
    const operations = (endpointId: string, eventId: string): [string, string, unknown?][] => [
      ['GET', `/api/endpoints/${endpointId}`],
      ['PATCH', `/api/endpoints/${endpointId}`, { name: 'mine' }],
      ['DELETE', `/api/endpoints/${endpointId}`],
      ['GET', `/api/events?endpointId=${endpointId}`],
      ['GET', `/api/events/${eventId}`],
      ['GET', `/api/events/${eventId}/raw`],
    ];
    const missing = operations('ep_01m6a6ft009xap4ss0gdxepgwd15pg', `${event.slice(0, -1)}0`);
    for (const [i, [method, path, body]] of operations(theirs.id, event).entries()) {
      const [, other = ''] = missing[i] ?? [];
      const foreign = await ada.call(method, path, body);
      const none = await ada.call(method, other, body);
      expect([foreign.status, await foreign.text()]).toEqual([404, await none.text()]);
    }
    expect(await bob.json(200, 'GET', `/api/endpoints/${theirs.id}`)).toMatchObject({ eventCount: 1 });
  });
});
