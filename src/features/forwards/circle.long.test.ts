/* Two servers that forward to each other. */
import { afterEach, expect, test } from 'bun:test';
import { type ForwardBench, openForwards, quickRetry } from '../../testing/forwards.ts';

const open: ForwardBench[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

test('events that go in a circle between two servers end after three forwards, each given up once', async () => {
  const [a, b] = [await openForwards(), await openForwards()];
  open.push(a, b);
  const [atA, atB] = [await a.ada.createEndpoint(), await b.ada.createEndpoint()];
  const urlOf = async ({ server }: ForwardBench, { url }: { url: string }): Promise<string> =>
    (await server.listen()) + new URL(url).pathname;
  const toB = await a.create(atA, { url: await urlOf(b, atB), retry: quickRetry, mode: 'ordered' });
  const toA = await b.create(atB, { url: await urlOf(a, atA), retry: quickRetry });
  const stored = async ({ ada }: ForwardBench, { id }: { id: string }): Promise<number> =>
    (await ada.json<{ eventCount: number }>(200, 'GET', `/api/endpoints/${id}`)).eventCount;

  const count = 20;
  for (let n = 0; n < count; n++) await a.server.deliver(atA, `{"n":${n}}`);
  await b.until(atB, toA.id, ({ givenUp, waiting, failed }) => givenUp === count && waiting + failed === 0);
  for (const one of [a, b]) await one.idle();
  expect([await stored(a, atA), await stored(b, atB)]).toEqual([2 * count, 2 * count]);
  expect(await a.show(atA, toB.id)).toMatchObject({ waiting: 0, failed: 0, givenUp: 0 });
  const given = await b.deliveries(atB, toA.id, 'state=given_up&limit=100');
  expect(new Set(given.map(({ lastError }) => lastError))).toEqual(
    new Set(['it was forwarded 3 times on its way here: this may be a loop']),
  );
}, 120_000);
