/* Deliveries with more attempts than are told apart. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { openRetryingSender } from '../../testing/retries.ts';
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

const openSender = () => openRetryingSender(server, ada);
const places = (events: { delivery: { attempt: number; attempts: number } }[]): string[] =>
  events.map(({ delivery: { attempt, attempts } }) => `${attempt}/${attempts}`);

describe('a delivery with more than 100 attempts', () => {
  test('has numbers up to 100, and its first 100 attempts are listed', async () => {
    const sender = await openSender();
    const at = clock.now() - hour;
    for (const id of ['a', undefined]) {
      const ids = await sender.sendAll(Array.from({ length: 103 }, (_, n) => ({ receivedAt: at + n, id })));
      const [first, middle, beyond] = [ids[0] ?? '', ids[49] ?? '', ids[102] ?? ''];
      const details = await Promise.all([first, middle, beyond].map(sender.detail));
      expect(places(details)).toEqual(['1/100', '50/100', '100/100']);
      expect(new Set(details.map(({ delivery }) => delivery.key)).size).toBe(1);
      const found = await sender.delivery(details[0]?.delivery.key ?? '');
      expect([found.attempts.length, found.attempts[0]?.id]).toEqual([100, first]);
    }
    const folded = await sender.walk('&group=delivery&limit=1');
    expect(folded.map(({ delivery }) => delivery.basis).sort()).toEqual(['content', 'header']);
  });

  test('has other first attempts after some were deleted or have expired', async () => {
    const sender = await openSender();
    const at = clock.now() - 2 * hour;
    const ids = await sender.sendAll(
      Array.from({ length: 110 }, (_, n) => ({ receivedAt: at + (n < 105 ? n : hour + n), id: 'a' })),
    );
    const placesOf = async (...indexes: number[]) =>
      places(await Promise.all(indexes.map(index => sender.detail(ids[index] ?? ''))));
    expect(await placesOf(0, 1, 2, 109)).toEqual(['1/100', '2/100', '3/100', '100/100']);
    await ada.json(200, 'DELETE', `/api/events/${ids[0]}`);
    expect(await placesOf(1, 2, 109)).toEqual(['1/100', '2/100', '100/100']);
    const { deleted } = await ada.json<{ deleted: number }>(
      200,
      'POST',
      `/api/endpoints/${sender.endpoint.id}/events/delete`,
      { where: `received:${new Date(at + 1).toISOString()}` },
    );
    expect(deleted).toBe(1);
    expect(await placesOf(2, 3, 109)).toEqual(['1/100', '2/100', '100/100']);
    await ada.json(200, 'PATCH', `/api/endpoints/${sender.endpoint.id}`, { retention: '90m' });
    expect(await placesOf(105, 109)).toEqual(['1/5', '5/5']);
  });
});
