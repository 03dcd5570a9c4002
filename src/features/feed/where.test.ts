/* The feed with `where`: what matches, waiting for a match, and long scans. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { callTool } from '../../testing/mcp.ts';
import { eventually } from '../../testing/poll.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { FeedPage } from './model.ts';
import type { Scanned } from './scan.ts';
import { createScan } from './scan.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount('ada@example.com');
});
afterAll(() => server.close());

const feed = (endpoint: { id: string }, where: string, query = ''): Promise<FeedPage> =>
  ada.json(200, 'GET', `/api/endpoints/${endpoint.id}/feed?where=${encodeURIComponent(where)}${query}`);
const idsOf = ({ events }: { events: { id: string }[] }): string[] => events.map(({ id }) => id);
const openTails = () => server.services.notifications.openTails();
const amount = (n: number) => JSON.stringify({ amount: n, text: `number ${n}` });

describe('GET /api/endpoints/{id}/feed?where=', () => {
  test('gives out matching events in order, over several pages', async () => {
    const endpoint = await ada.createEndpoint();
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) ids.push(await server.deliver(endpoint, amount(n)));
    const even = ids.filter((_, n) => n % 2 === 0 && n >= 4);
    const where = 'body.amount>=4 ("number 4" OR "number 6" OR "number 8" OR "number 10")';
    const seen: string[] = [];
    for (let after = 'start', more = true; more; ) {
      const page = await feed(endpoint, where, `&limit=2&after=${after}`);
      seen.push(...idsOf(page));
      ({ cursor: after, more } = page);
    }
    expect(seen).toEqual(even);
    expect(idsOf(await feed(endpoint, 'method:PUT'))).toEqual([]);
    expect(idsOf(await feed(endpoint, ''))).toEqual(ids);
  });

  test('waits until something matches, and the cursor then is after what was skipped', async () => {
    const endpoint = await ada.createEndpoint();
    const page = feed(endpoint, 'body.amount>10', '&wait=25');
    await eventually(() => openTails() === 1);
    for (let n = 0; n < 5; n++) await server.deliver(endpoint, amount(n));
    expect(openTails()).toBe(1);
    const id = await server.deliver(endpoint, amount(11));
    const found = await page;
    expect(idsOf(found)).toEqual([id]);
    expect(idsOf(await feed(endpoint, '', `&after=${found.cursor}`))).toEqual([]);
  });

  test('a pin or tag counts as it is when the event is read', async () => {
    const endpoint = await ada.createEndpoint();
    const [id] = [await server.deliver(endpoint), await server.deliver(endpoint)];
    await ada.json(200, 'PUT', `/api/events/${id}/tags`, { tags: ['golden'] });
    expect(idsOf(await feed(endpoint, 'tag:golden'))).toEqual([id]);
  });

  test('400 with the place of the error', async () => {
    const endpoint = await ada.createEndpoint();
    const answer = await ada.call(
      'GET',
      `/api/endpoints/${endpoint.id}/feed?where=${encodeURIComponent('method:GET (')}`,
    );
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: expect.any(String), position: expect.any(Number), nearest: null },
    ]);
  });
});

describe('wait_for_event with where', () => {
  const call = (given: object) => callTool(server.fetch, ada.key, 'wait_for_event', given as Record<string, unknown>);

  test('skips events that do not match, and its cursor goes on after them', async () => {
    const endpoint = await ada.createEndpoint();
    const waiting = call({ endpointId: endpoint.id, where: 'body.amount>10', timeoutSeconds: 30 });
    await eventually(() => openTails() === 1);
    await server.deliver(endpoint, amount(1));
    const id = await server.deliver(endpoint, amount(12));
    const found = (await waiting).structuredContent as { events: { id: string }[]; cursor: string };
    expect(idsOf(found)).toEqual([id]);
    const late = await server.deliver(endpoint, amount(1));
    const next = await call({ endpointId: endpoint.id, cursor: found.cursor });
    expect(idsOf(next.structuredContent as typeof found)).toEqual([late]);
  });

  test('explains a filter that cannot be read', async () => {
    const endpoint = await ada.createEndpoint();
    const answer = await call({ endpointId: endpoint.id, where: 'amount!=1' });
    expect([answer.isError, answer.content[0]?.text]).toEqual([true, expect.stringContaining('where')]);
  });
});

describe('a scan', () => {
  /** `count` events of one endpoint with every tenth row number; each read takes 10 ms. */
  const setUp = (count: number, matches: (seq: number) => boolean = () => false) => {
    const clock = holdClock();
    let reads = 0;
    const lastSeq = count * 10;
    const scan = createScan({
      store: {
        window: async (_, __, position, limit) => {
          clock.advance(10);
          reads++;
          const seqs: number[] = [];
          for (let seq = position - (position % 10) + 10; seq <= Math.min(lastSeq, position + 5000); seq += 10)
            if (seqs.length < limit) seqs.push(seq);
          return { seqs, upTo: Math.min(lastSeq, position + 5000), lastSeq, sweptSeq: 0, hasExpired: false };
        },
        far: async (_, __, position, limit) => ({
          seqs: Array.from({ length: limit }, (_, i) => position - (position % 10) + 10 * (i + 1)).filter(
            seq => seq <= lastSeq,
          ),
          lastSeq,
          sweptSeq: 0,
          hasExpired: false,
        }),
      },
      retentionCutoff: () => 0,
      monotonic: clock.monotonic,
    });
    const run = (after: number, limit = 25): Promise<Scanned> =>
      scan({
        principal: { teamId: 'team', plan: 'pro' },
        endpoint: { seq: 1, token: '', retentionMs: null },
        after,
        limit,
        filter: async (_, seqs) => new Set(seqs.filter(matches)),
        reader: undefined,
      });
    return { run, reads: () => reads, lastSeq };
  };

  test('for something rare stops after its budget, with a position that has moved on, and ends', async () => {
    const { run, reads, lastSeq } = setUp(50_000, seq => seq === 400_000);
    const found: number[] = [];
    let calls = 0;
    for (let [after, more] = [0, true]; more; calls++) {
      const before = reads();
      const result = await run(after);
      expect(reads() - before).toBeLessThanOrEqual(26);
      expect(result.position).toBeGreaterThan(after);
      found.push(...result.seqs);
      ({ position: after, more } = result);
      if (!more) expect(after).toBe(lastSeq);
    }
    expect(found).toEqual([400_000]);
    expect(calls).toBeGreaterThan(2);
  });

  test('finds every match once, whatever the limit', async () => {
    const { run } = setUp(1000, seq => seq % 70 === 0);
    for (const limit of [1, 2, 7, 100]) {
      const found: number[] = [];
      for (let [after, more] = [0, true]; more; ) {
        const result = await run(after, limit);
        expect(result.seqs.length).toBeLessThanOrEqual(limit);
        found.push(...result.seqs);
        ({ position: after, more } = result);
      }
      expect(found).toEqual(Array.from({ length: 142 }, (_, i) => 70 * (i + 1)));
    }
  });
});
