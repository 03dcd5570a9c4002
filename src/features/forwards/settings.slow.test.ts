/* What may be left out of a forward's settings, and what follows from one of them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ForwardBench, openForwards } from '../../testing/forwards.ts';
import { ok } from '../../testing/replay-jobs.ts';

let forwards: ForwardBench;
beforeAll(async () => {
  forwards = await openForwards();
});
afterAll(() => forwards.close());

test('one setting can be changed alone, and others that depend on it follow', async () => {
  const endpoint = await forwards.ada.createEndpoint();
  const url = 'https://example.com/x';
  const quick = await forwards.create(endpoint, { url, enabled: false, retry: { max: '1s' } });
  expect(quick.retry).toEqual({ for: '24h', first: '1s', max: '1s' });
  const slow = await forwards.create(endpoint, { url, enabled: false, retry: { first: '2h' } });
  expect(slow.retry).toEqual({ for: '24h', first: '2h', max: '2h' });
  const { id } = await forwards.create(endpoint, { url, enabled: false, mode: 'ordered', orderBy: 'body.a' });
  const change = (body: object) => forwards.ada.json(200, 'PATCH', forwards.path(endpoint, id), body);
  expect(await change({ mode: 'parallel' })).toMatchObject({ mode: 'parallel', orderBy: null });
  expect(await change({ retry: { max: '2s' } })).toMatchObject({ retry: { for: '24h', first: '2s', max: '2s' } });
  expect(await change({ retry: { first: '1s' } })).toMatchObject({ retry: { for: '24h', first: '1s', max: '2s' } });
});

test('a change leaves every setting that it does not name', async () => {
  const endpoint = await forwards.ada.createEndpoint();
  const settings = {
    name: 'one',
    url: 'https://example.com/x',
    where: 'type:order',
    mode: 'ordered',
    orderBy: 'body.a',
    sign: 'as-captured',
    headers: [['X-Shop', '7']],
    timeoutS: 7,
    retry: { for: '2h', first: '1s', max: '2s' },
    per: 'delivery',
    enabled: false,
  };
  const { id } = await forwards.create(endpoint, settings);
  for (const change of [{}, { name: 'two' }, { retry: { max: '3s' } }]) {
    await forwards.ada.json(200, 'PATCH', forwards.path(endpoint, id), change);
    Object.assign(settings, change, { retry: { ...settings.retry, ...change.retry } });
    expect(await forwards.show(endpoint, id)).toMatchObject(settings);
  }
});

test('optional fields may be null', async () => {
  const endpoint = await forwards.ada.createEndpoint();
  const none = { where: null, mode: null, orderBy: null, sign: null, headers: null, timeoutS: null, per: null };
  const { url } = forwards.destination(ok);
  const retry = { for: null, first: '1s', max: null };
  const created = await forwards.create(endpoint, { url, ...none, retry, enabled: null });
  expect(created).toMatchObject({
    timeoutS: 30,
    headers: [],
    enabled: true,
    retry: { for: '24h', first: '1s', max: '1h' },
  });
  for (const how of ['retry', 'skip'] as const)
    await forwards.act(endpoint, created.id, how, { eventId: null, where: null });
});
