/* An export with a filter has the events that the list shows with it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { parseEventId } from '../../core/ids/ids.ts';
import { holdClock } from '../../testing/clock.ts';
import { damageEvent } from '../../testing/stored-events.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

setDefaultTimeout(120_000);

const clock = holdClock();
const count = 1100;
let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };
const ids: string[] = [];

beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount();
  endpoint = await ada.createEndpoint();
  await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform: 'github', secret: 'sesame' });
  for (let n = 0; n < count; n += 50) {
    const bodies = Array.from(
      { length: 50 },
      (_, i) => `{"n":${n + i},"items":[{"sku":"A-${(n + i) % 7}"}],"é":"x${n + i}"}`,
    );
    const headers = (body: string, i: number) => ({
      'content-type': 'application/json',
      'x-github-event': i % 2 === 0 ? 'push' : 'ping',
      'x-hub-signature-256': `sha256=${createHmac('sha256', i % 5 === 0 ? 'wrong' : 'sesame')
        .update(body)
        .digest('hex')}`,
    });
    const stored = bodies.map((body, i) =>
      server.deliver(endpoint, body, { headers: headers(body, n + i), suffix: `/p${(n + i) % 3}?page=${i % 4}` }),
    );
    ids.push(...(await Promise.all(stored)));
    clock.advance(1000);
  }
  await ada.json(200, 'PUT', `/api/events/${ids[3]}/pin`, { name: 'golden' });
  await ada.json(200, 'PUT', `/api/events/${ids[900]}/tags`, { tags: ['checkout'] });
  await ada.json(200, 'PUT', `/api/events/${ids[901]}/tags`, { tags: ['checkout', 'b'] });
});
afterAll(() => server.close());

async function listed(where: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({
      endpointId: endpoint.id,
      limit: '100',
      where,
      ...(cursor !== null && { cursor }),
    });
    type Page = { events: { id: string }[]; nextCursor: string | null };
    const page: Page = await ada.json<Page>(200, 'GET', `/api/events?${query}`);
    found.push(...page.events.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found.reverse();
}
const exported = async (where: string) => {
  const path = `/api/endpoints/${endpoint.id}/export?where=${encodeURIComponent(where)}`;
  const file = await ada.json<{ events: { id: string }[]; damaged?: unknown }>(200, 'GET', path);
  return { found: file.events.map(({ id }) => id), damaged: file.damaged };
};

describe('an export with a filter', () => {
  test.each([
    ['type:push', 550],
    ['type:p*', 1100],
    ['platform:GitHub path:/p1', 367],
    ['verdict:invalid', 220],
    ['NOT verdict:valid', 220],
    ['verdict:valid body.n>1000', 80],
    ['body.items[].sku:"A-3"', 157],
    ['query.page:2 OR tag:checkout', 266],
    ['has:body.é -type:ping', 550],
    ['header.x-github-event:ping size>40', 550],
    ['is:pinned', 1],
    ['tag:checkout', 2],
    ['is:replayed', 0],
    ['received<5s', 250],
    ['"x1"', 211],
    ['x1099', 1],
    ['body.nothing:1', 0],
  ])('%s', async (where, expected) => {
    const { found, damaged } = await exported(where);
    expect(damaged).toBeUndefined();
    const sorted = (all: string[]) => all.toSorted((a, b) => ids.indexOf(a) - ids.indexOf(b));
    expect(sorted(found)).toEqual(sorted(await listed(where)));
    if (!where.startsWith('received')) expect([where, found.length]).toEqual([where, expected]);
  });

  test('names damaged events unless their columns say that they do not match', async () => {
    const seq = parseEventId(ids[10] ?? '')?.seq ?? 0;
    await damageEvent(server.services.database.client, seq, 'unreadable');
    expect((await exported('type:push')).damaged).toEqual({ count: 1, ids: [ids[10] as string] });
    expect((await exported('type:ping')).damaged).toBeUndefined();
    expect((await exported('body.n<0')).damaged).toEqual({ count: 1, ids: [ids[10] as string] });
    expect((await exported('body.n<0 type:ping')).damaged).toBeUndefined();
  });
});
