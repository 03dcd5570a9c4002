/* Reading large events for a filter: one is in memory at a time, within the budget of a search, and only while the client is there. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ContentRead } from '../../core/concurrency/content-reads.ts';
import { parseEventId } from '../../core/ids/ids.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createEventFilter } from './event-filter.ts';
import { createSearchStore } from './store.ts';

const body = JSON.stringify({ a: 'b'.repeat(300_000) });
let server: TestServer;
let ada: TestAccount;
let endpointId: string;
let endpoint: number;
const seqs: number[] = [];

beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  const created = await ada.createEndpoint();
  endpointId = created.id;
  for (let n = 0; n < 5; n++) seqs.unshift(parseEventId(await server.deliver(created, body))?.seq ?? 0);
  ({ seq: endpoint } = await server.services.endpoints.owned(
    await server.services.account.byEmail(ada.email),
    endpointId,
  ));
});
afterAll(() => server.close());

/** @param onHold called with the bytes that the read holds from then on @param msPerLook how much later each look at the clock is */
function open(onHold: (bytes: number) => unknown, msPerLook = 0, where = 'body.a:*c') {
  let verdicts = 0;
  const gone = new AbortController();
  let now = 0;
  const read: ContentRead = {
    signal: gone.signal,
    hold: async bytes => {
      gone.signal.throwIfAborted();
      onHold(bytes);
    },
    keep: () => undefined,
  };
  const filter = createEventFilter({
    store: createSearchStore(server.services.database.scanClient, async () => new Map()),
    endpoint,
    filter: parseFilter(where),
    now: () => 0,
    monotonic: () => (now += msPerLook),
    budget: { ms: 250, blocks: 2048 },
    runRead: work => work(read),
    readVerdict: async () => {
      verdicts++;
      return 'none';
    },
  });
  return { filter, leave: () => gone.abort(new Error('gone')), verdicts: () => verdicts };
}

describe.each(['select', 'explain'] as const)('%s', how => {
  test('holds one large event at a time', async () => {
    const held: number[] = [];
    const { filter } = open(bytes => held.push(bytes));
    await filter[how](seqs);
    expect(held.filter(bytes => bytes > 0)).toEqual(seqs.map(() => 2 * body.length));
  });

  test('reads nothing more after its client has left', async () => {
    const held: number[] = [];
    const opened = open(bytes => {
      held.push(bytes);
      if (held.filter(one => one > 0).length === 2) opened.leave();
    });
    expect(await thrownBy(opened.filter[how](seqs))).toThrow('gone');
    expect(held.filter(bytes => bytes > 0)).toHaveLength(2);
  });

  test('stops within an event when its client leaves', async () => {
    const opened = open(bytes => bytes > 0 && opened.leave(), 100);
    expect(await thrownBy(opened.filter[how](seqs.slice(0, 1)))).toThrow('gone');
  });
});

test('explain tests the newest events for as long as a search may take, and at least one', async () => {
  const withoutTime = open(() => {}, 1000);
  expect([...(await withoutTime.filter.explain(seqs)).keys()]).toEqual(seqs.slice(0, 1));
  const withTime = open(() => {}, 0);
  expect((await withTime.filter.explain(seqs)).size).toBe(5);
});

test('explain verifies signatures only for a filter that asks for verdicts', async () => {
  for (const [where, count] of [
    ['body.a:*c', 0],
    ['body.a:*c OR NOT verdict:none', seqs.length],
  ] as const) {
    const { filter, verdicts } = open(() => {}, 0, where);
    await filter.explain(seqs);
    expect([where, verdicts()]).toEqual([where, count]);
  }
});

test('a filter test says how many events it had no time for', async () => {
  const busy = await openTestServer({ searchLimits: { budget: { ms: 0, blocks: 1 } } });
  const account = await busy.createAccount();
  const created = await account.createEndpoint();
  for (const text of ['c', 'b', 'c']) await busy.deliver(created, JSON.stringify({ a: text }));
  const request = { where: 'body.a:c', limit: 3 };
  const result = await account.json(200, 'POST', `/api/endpoints/${created.id}/where/test`, request);
  expect(result).toMatchObject({ matched: [{ size: 9 }], unmatched: [], untested: 2 });
  await busy.close();
});
