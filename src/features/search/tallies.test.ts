/* Counts of events while others are stored, removed and changed between any two reads of the database. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Client } from '@libsql/client';
import { toFieldLines } from '../../core/headers.ts';
import type { IngestAddress } from '../../ingest/capture.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createTallies } from './tallies.ts';
import { createTalliesStore } from './tallies-store.ts';

const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
let address: IngestAddress;
beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount();
  const { id, url } = await ada.createEndpoint();
  const rules = [{ when: 'type:push', answer: { status: 403 } }];
  await ada.json(200, 'PUT', `/api/endpoints/${id}/answers`, { rules });
  const found = await server.services.registry.find(new URL(url).pathname.slice('/in/'.length));
  if (!found) throw new Error('the endpoint is not known');
  address = found;
});
afterAll(() => server.close());

const ids: string[] = [];
async function fail(receivedAt: number): Promise<void> {
  const { id } = await server.services.capture.record(address, {
    method: 'POST',
    path: '',
    query: null,
    fields: toFieldLines(['X-GitHub-Event', 'push']),
    body: Buffer.from('{}'),
    sourceIp: '127.0.0.1',
    receivedAt,
  });
  ids.push(id);
}

/** A connection on which the events change after every read. */
function changingAfterEachRead(client: Client): Client {
  let reads = 0;
  const after = async <T>(read: Promise<T>): Promise<T> => {
    const rows = await read;
    // Also late ones, with an older time than events that are counted already.
    await fail(clock.now() - (reads++ % 10) * 1000);
    await fail(clock.now());
    await ada.call('DELETE', `/api/events/${ids.shift()}`);
    await ada.json(200, 'PUT', `/api/events/${ids.at(-3)}/tags`, { tags: ['golden'] });
    await ada.json(200, 'PUT', `/api/events/${ids.at(-5)}/tags`, { tags: [] });
    return rows;
  };
  return new Proxy(client, {
    get(target, name) {
      if (name === 'execute') return (statement: string) => after(target.execute(statement));
      if (name === 'batch') return (...given: Parameters<Client['batch']>) => after(target.batch(...given));
      return Reflect.get(target, name) as unknown;
    },
  });
}

test.each([
  ['', 'none'],
  ['', 'type'],
  ['', 'answered'],
  ['method:POST', 'none'],
  ['tag:golden', 'answered'],
  ['-tag:golden', 'platform'],
] as const)(
  'an event never counts as failed more than once, and never without its outcome: %j by %s',
  async (text, by) => {
    const store = createTalliesStore(changingAfterEachRead(server.services.database.scanClient));
    const tallies = createTallies({ store, now: clock.now });
    for (let i = 0; i < 20; i++) await fail(clock.now() - (i % 10) * 1000);
    // The second count remembers kinds of events.
    for (let round = 0; round < 2; round++) {
      const cells = await tallies.whole({
        endpoint: address.seq,
        filter: parseFilter(text),
        since: 0,
        range: [clock.now() - 10_000, clock.now()],
        bucketMs: 1000,
        by,
        maxValues: 6,
      });
      expect(cells?.length).toBeGreaterThan(0);
      for (const { value, count, failed, accepted } of cells ?? []) {
        expect({ count, failed, accepted }).toEqual({ count, failed: count, accepted: 0 });
        if (by === 'answered') expect(value).toBe('403');
      }
    }
  },
);
