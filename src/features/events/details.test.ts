import { afterAll, beforeAll, expect, test } from 'bun:test';
import { systemClock } from '../../core/clock.ts';
import { maxReplaysShown } from '../../core/limits.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createAttemptsStore } from './attempts-store.ts';
import type { EventDetail } from './model.ts';
import { createEventsService } from './service.ts';
import { createEventsStore } from './store.ts';

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

test('edits of replays are read one after the other, with pauses, and a single one alone', async () => {
  const ada = await server.createAccount();
  const id = await server.deliver(await ada.createEndpoint(), '{"a":1}');
  const { database, endpoints, verdicts, search, contentReads, account } = server.services;
  const store = createEventsStore(database.db, database.scanDb);
  let pauses = 0;
  let lists = 0;
  const service = createEventsService({
    store: {
      ...store,
      attempts: (...of) => {
        lists++;
        return store.attempts(...of);
      },
    },
    attemptsStore: createAttemptsStore(database.db),
    findWay: async () => [],
    clock: systemClock,
    endpoint: endpoints.owned,
    verdicts,
    search,
    createSlices: () => () => void pauses++,
    contentReads,
    retentionMs: { free: 0, pro: 0 },
  });
  const { teamId = '' } = (await account.list()).find(one => one.id === ada.accountId) ?? {};
  const reader = { accountId: ada.accountId, teamId, plan: 'pro' as const, isReadOnly: false, app: undefined };
  const read = async () => (await service.event(reader, id)) as EventDetail;
  await read();
  const before = pauses;
  await database.client.execute({
    sql: `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO replays (event, destination, status, ok, duration_ms, created_at, via, signed, edited, request)
      SELECT (SELECT max(seq) FROM events), 'http://x/', 200, 1, 1, 1, 'api', 0, 1, ? FROM n`,
    args: [maxReplaysShown + 1, Buffer.from('{"headers":[],"edit":{"set":{"a":2}},"sha256":"00"}')],
  });
  const { replays } = await read();
  expect(replays).toHaveLength(maxReplaysShown);
  expect(pauses - 2 * before).toBeGreaterThanOrEqual(maxReplaysShown);
  lists = 0;
  const replayId = replays.at(-1)?.id ?? '';
  expect(await thrownBy(service.body(reader, { id, replayId }))).toThrow(expect.objectContaining({ code: 'gone' }));
  expect(lists).toBe(0);
});
