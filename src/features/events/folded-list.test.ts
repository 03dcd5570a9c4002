/* The list with one row per delivery, against a computation over the plain list. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { holdClock } from '../../testing/clock.ts';
import { cases } from '../../testing/proofs.ts';
import { openRetryingSender, type PlacedEvent, type SentAttempt } from '../../testing/retries.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

const hour = 3_600_000;
const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount();
});
afterAll(() => server.close());

/** Attempts by the id of the event, as a reader of the specification would group them. */
function expectedPlaces(all: readonly { id: string; sent: SentAttempt }[]) {
  const places = new Map<string, { group: string; place: string }>();
  const kinds = Map.groupBy(all, ({ sent }) => sent.id ?? `${sent.path} ${sent.body}`);
  for (const [kind, ofKind] of kinds) {
    // Stable: at equal times, the order of arrival.
    const inOrder = ofKind.toSorted((a, b) => a.sent.receivedAt - b.sent.receivedAt);
    const groups: (typeof inOrder)[] = [];
    for (const [i, one] of inOrder.entries()) {
      const gap = one.sent.receivedAt - (inOrder[i - 1]?.sent.receivedAt ?? 0);
      if (i === 0 || (one.sent.id === undefined && gap > 72 * hour)) groups.push([]);
      groups.at(-1)?.push(one);
    }
    for (const [n, group] of groups.entries())
      for (const [i, { id }] of group.entries())
        places.set(id, { group: `${kind} ${n}`, place: `${i + 1}/${group.length}` });
  }
  return places;
}

const attempt = (at: number): fc.Arbitrary<SentAttempt> =>
  fc.record({
    receivedAt: fc.integer({ min: 0, max: 12 }).map(n => at - n * 29 * hour),
    id: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
    body: fc.constantFrom('{"x":"needle"}', '{"x":"other"}', '{"x":2}'),
    path: fc.constantFrom('', '/p'),
  });

/** The newest event of each delivery that the plain list has, in its order. */
function newestOf(events: readonly PlacedEvent[]): string[] {
  const seen = new Set<string>();
  return events.filter(({ delivery }) => seen.size < seen.add(delivery.key).size).map(({ id }) => id);
}

describe('GET /api/events?group=delivery', () => {
  test('has the newest attempt of each delivery once, in the order of the list, also when filtered', async () => {
    const now = clock.now();
    await fc.assert(
      fc.asyncProperty(
        fc.array(attempt(now), { minLength: 1, maxLength: 40 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        fc.integer({ min: 1, max: 7 }),
        async (attempts, removed, limit) => {
          const sender = await openRetryingSender(server, ada);
          const ids = await sender.sendAll(attempts);
          const all = ids.map((id, i) => ({ id, sent: attempts[i] as SentAttempt }));
          for (const n of removed) {
            const [gone] = all.splice(n % all.length, all.length > 1 ? 1 : 0);
            if (gone) await ada.json(200, 'DELETE', `/api/events/${gone.id}`);
          }
          const places = expectedPlaces(all);
          const plain = (await sender.page('&limit=100')).events;
          expect(plain.map(({ id, delivery: { attempt, attempts } }) => `${id} ${attempt}/${attempts}`)).toEqual(
            plain.map(({ id }) => `${id} ${places.get(id)?.place}`),
          );
          const groupOf = ({ id }: { id: string }): string => places.get(id)?.group ?? '';
          expect(new Set(plain.map(event => `${event.delivery.key} ${groupOf(event)}`)).size).toBe(
            new Set(plain.map(groupOf)).size,
          );
          const folded = await sender.walk(`&group=delivery&limit=${limit}`);
          expect(folded.map(({ id }) => id)).toEqual(newestOf(plain));
          const found = (await sender.page('&limit=100&q=needle')).events;
          const foldedFound = await sender.walk(`&group=delivery&limit=${limit}&q=needle`);
          expect(foldedFound.map(({ id }) => id)).toEqual(newestOf(found));
        },
      ),
      { numRuns: cases(30) },
    );
  }, 120_000);

  test('lists no delivery twice and leaves none out while attempts arrive between its pages', async () => {
    const sender = await openRetryingSender(server, ada);
    const at = clock.now();
    const ids = Array.from({ length: 30 }, (_, n) => `delivery ${n}`);
    await sender.sendAll(ids.map((id, n) => ({ receivedAt: at + n, id })));
    await sender.sendAll(ids.slice(0, 10).map((id, n) => ({ receivedAt: at + 100 + n, id })));
    const before = newestOf((await sender.page('&limit=100')).events);
    let arrivals = 0;
    const folded = await sender.walk('&group=delivery&limit=4', async () => {
      // Of a delivery that is still to come, of one that was listed, a new one, and one that a clock that is late puts at the end.
      await sender.send({ receivedAt: at + 1000 + arrivals, id: ids[(arrivals * 7) % 30] });
      await sender.send({ receivedAt: at + 2000 + arrivals, id: ids[(arrivals * 7 + 15) % 30] });
      await sender.send({ receivedAt: at + 3000 + arrivals, id: `new ${arrivals}` });
      await sender.send({ receivedAt: at - 1000 - arrivals++, id: ids[arrivals] });
    });
    expect(folded.map(({ id }) => id)).toEqual(before);
    const keys = folded.map(({ delivery }) => delivery.key);
    expect(new Set(keys).size).toBe(30);
    expect((await sender.walk('&group=delivery&limit=4')).length).toBe(30 + arrivals);
  });

  test('pinned events beyond the retention period come last', async () => {
    const sender = await openRetryingSender(server, ada);
    const at = clock.now();
    const [old, , pinned] = await sender.sendAll([
      { receivedAt: at - 5 * hour, id: 'a' },
      { receivedAt: at - 4 * hour, id: 'b' },
      { receivedAt: at - 3 * hour, id: 'c' },
      { receivedAt: at - 1, id: 'a' },
      { receivedAt: at - 2, id: 'd' },
    ]);
    for (const id of [old, pinned]) await ada.json(200, 'PUT', `/api/events/${id}/pin`, {});
    await ada.json(200, 'PATCH', `/api/endpoints/${sender.endpoint.id}`, { retention: '1h' });
    for (const limit of [1, 2, 10]) {
      const folded = await sender.walk(`&group=delivery&limit=${limit}`);
      expect(folded.map(({ delivery: { attempts } }) => attempts)).toEqual([2, 1, 1]);
      expect(folded[2]?.id).toBe(pinned ?? '');
    }
  });

  test('a page ends when a delivery with many attempts fills the list for long, and the next one continues', async () => {
    let time = 0;
    const slow = await openTestServer({ clock: { now: clock.now, monotonic: () => (time += 100) } });
    try {
      const sender = await openRetryingSender(slow, await slow.createAccount());
      const at = clock.now();
      const oldest = await sender.send({ receivedAt: at - 1, id: 'last' });
      await sender.sendAll(Array.from({ length: 300 }, (_, n) => ({ receivedAt: at + n, id: 'often' })));
      const first = await sender.page('&group=delivery&limit=2');
      expect([first.events.length, first.nextCursor === null]).toEqual([1, false]);
      expect(first.scannedTo).toBeGreaterThan(at);
      expect((await sender.walk('&group=delivery&limit=2')).at(-1)?.id).toBe(oldest);
    } finally {
      await slow.close();
    }
  });

  test.each([['other'], [''], ['delivery&group=delivery']])('400 for group=%s', async group => {
    const { endpoint } = await openRetryingSender(server, ada);
    expect((await ada.call('GET', `/api/events?endpointId=${endpoint.id}&group=${group}`)).status).toBe(400);
  });

  test('400 for a cursor of the other list', async () => {
    const sender = await openRetryingSender(server, ada);
    await sender.sendAll(['a', 'b', 'c'].map(id => ({ receivedAt: clock.now(), id })));
    const [plain, folded] = [await sender.page('&limit=1'), await sender.page('&limit=1&group=delivery')];
    const statusOf = async (more: string) =>
      (await ada.call('GET', `/api/events?endpointId=${sender.endpoint.id}${more}`)).status;
    expect(await statusOf(`&cursor=${folded.nextCursor}`)).toBe(400);
    expect(await statusOf(`&group=delivery&cursor=${plain.nextCursor}`)).toBe(400);
  });
});
