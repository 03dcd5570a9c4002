/* Maps are decided here as the server decides filters; where they cannot be, the server is asked. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { FeedPage } from '../../features/feed/model.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { type ListenHarness, openListenHarness } from '../../testing/listen-harness.ts';
import { connect } from '../client/api.ts';
import { fromFeed } from './captured.ts';
import { askServer, type Page, readViewFilter, wantedBy } from './matching.ts';

let harness: ListenHarness;
let page: Page;
beforeAll(async () => {
  harness = await openListenHarness();
  await harness.begin();
  const json = { 'content-type': 'application/json' };
  await harness.deliver('{"n":1,"items":[{"sku":"A-1"}],"who":"Ada"}', { headers: json, suffix: '/orders/1?page=2' });
  await harness.deliver('{"id":"evt_1","object":"event","type":"invoice.paid","n":10}', {
    headers: { ...json, 'Stripe-Signature': 't=1,v1=00', 'X-Shop': 'acme' },
  });
  await harness.deliver('a=1&n=3', { headers: { 'content-type': 'application/x-www-form-urlencoded' } });
  const tagged = await harness.deliver(`{"text":"${'x'.repeat(20_000)}"}`, { method: 'PUT' });
  await harness.client.ada.json(200, 'PUT', `/api/events/${tagged}/tags`, { tags: ['golden'] });
  await harness.client.ada.json(200, 'PUT', `/api/events/${tagged}/pin`, { name: 'kept' });
  const { id } = harness.inbox();
  const read = await harness.client.ada.json<FeedPage>(200, 'GET', `/api/endpoints/${id}/feed?content=full`);
  const events = read.events.map(summary => ({ summary, captured: fromFeed({ id, name: 'inbox' }, summary) }));
  page = { after: 'start', until: read.cursor, events };
});
afterAll(async () => {
  await harness.end();
  await harness.close();
});

const api = () => {
  const env = harness.client.env;
  return connect({ env, version: 'test', stderr: () => {} } as never, { envFile: undefined });
};
const local = [
  'type:invoice.*',
  'platform:STRIPE OR method:put',
  'path:/orders/*',
  'verdict:none',
  'verdict:unchecked',
  'size>10k',
  'received:2000-01-01..2099-01-01',
  'attempt:1',
  'tag:golden is:pinned',
  '-is:pinned',
  'header.x-shop:ac*',
  'query.page:2',
  'body.n>2',
  'body.items[].sku:"A-1"',
  'has:body.who',
  'ada OR has:body.a',
  '',
];
const remote = [
  'ip:127.0.0.0/8',
  'ip:10.0.0.0/8',
  'received>1h',
  'received<1h',
  'is:replayed',
  'NOT is:edited body.n:1',
];

describe('a filter of a map', () => {
  const asked: string[] = [];
  const ask = (where: string, range: Pick<Page, 'after' | 'until'>, ids: readonly string[]) => {
    asked.push(where);
    return askServer(api(), harness.inbox().id, new AbortController().signal)(where, range, ids);
  };
  const decide = async (where: string): Promise<boolean[]> => {
    const found = await wantedBy([{ where, filter: parseFilter(where) }], page, ask);
    return found.map(maps => maps.length > 0);
  };
  const byServer = async (where: string): Promise<boolean[]> => {
    const query = `where=${encodeURIComponent(where)}`;
    const found = await harness.client.ada.json<FeedPage>(
      200,
      'GET',
      `/api/endpoints/${harness.inbox().id}/feed?${query}`,
    );
    const ids = new Set(found.events.map(({ id }) => id));
    return page.events.map(({ summary }) => ids.has(summary.id));
  };

  test.each(local)('%j is decided here, as on the server', async where => {
    asked.length = 0;
    expect([await decide(where), asked]).toEqual([await byServer(where), []]);
  });

  test.each(remote)('%j is decided by the server', async where => {
    asked.length = 0;
    expect([await decide(where), asked]).toEqual([await byServer(where), [where]]);
  });
});

test('the server is asked page by page, and no further than the page that is to be decided', async () => {
  const ids = page.events.map(({ summary }) => summary.id);
  const calls: string[] = [];
  const answers = [
    { events: [{ id: ids[0] }], cursor: `00000000001${harness.inbox().id.slice(-8)}`, more: true },
    { events: [], cursor: page.until, more: true },
  ];
  const call = async (_method: string, _path: string, { query }: { query: { after: string } }) => {
    calls.push(query.after);
    return answers[calls.length - 1];
  };
  const ask = askServer({ call } as never, harness.inbox().id, new AbortController().signal);
  expect([...(await ask('type:a', page, ids))]).toEqual(ids.slice(0, 1));
  expect(calls).toEqual(['start', answers[0]?.cursor ?? '']);
});

test('a filter of the view hides events that do not match, and shows undecided ones', () => {
  const captured = page.events.flatMap(one => one.captured ?? []);
  const shown = (where: string) => {
    const filter = readViewFilter(where, Date.now);
    return filter.isOk ? captured.map(filter.matches) : filter;
  };
  expect(shown('type:invoice.*')).toEqual([false, true, false, false]);
  expect(shown('ip:10.0.0.0/8')).toEqual([true, true, true, true]);
  expect(shown('typ:a')).toMatchObject({ isOk: false, position: 0 });
});
