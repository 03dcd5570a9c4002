import { expect, test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createAttemptsStore } from './attempts-store.ts';
import { createEventsService } from './service.ts';
import { createEventsStore } from './store.ts';

test('four searches of an account run at a time, others do not wait, and a disconnected client’s search is not started', async () => {
  const server = await openTestServer();
  const [ada, bob] = [await server.createAccount('ada@example.com'), await server.createAccount('bob@example.com')];
  const { database, endpoints, verdicts, account, createSlices, contentReads } = server.services;
  const searches: string[] = [];
  const ends: (() => void)[] = [];
  const events = createEventsService({
    store: createEventsStore(database.db, database.scanDb),
    attemptsStore: createAttemptsStore(database.db),
    findWay: async () => [],
    clock: { now: () => 0, monotonic: () => 0 },
    endpoint: endpoints.owned,
    verdicts,
    search: {
      checkTerm: () => {},
      find: ({ q, reader }) =>
        contentReads.run(reader, async () => {
          searches.push(q);
          await new Promise<void>(resolve => ends.push(resolve));
          return { found: [], next: undefined };
        }),
      matching: async () => [],
    },
    createSlices,
    contentReads,
    retentionMs: { free: 0, pro: 0 },
  });
  const people = await account.list();
  const searchAs = async (who: typeof ada) => {
    const { id: endpointId } = await who.createEndpoint();
    const { accountId } = who;
    const teamId = people.find(({ id }) => id === accountId)?.teamId ?? '';
    return (q: string, signal?: AbortSignal) =>
      events.list({ accountId, teamId, plan: 'pro' }, { endpointId, q }, signal);
  };
  const [byAda, byBob] = [await searchAs(ada), await searchAs(bob)];
  const gone = new AbortController();
  const running = [1, 2, 3, 4].map(n => byAda(`ada ${n}`));
  await eventually(() => searches.length === 4);
  const left = byAda('gone', gone.signal);
  running.push(byAda('ada 5'));
  running.push(byBob('bob'));
  await eventually(() => searches.includes('bob'));
  expect(searches).not.toContain('ada 5');
  gone.abort(new Error('gone'));
  expect(await thrownBy(left)).toThrow('gone');
  ends.shift()?.();
  await eventually(() => searches.includes('ada 5'));
  for (const end of ends) end();
  await Promise.all(running);
  expect(searches).not.toContain('gone');
  await server.close();
});
