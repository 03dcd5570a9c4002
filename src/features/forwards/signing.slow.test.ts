/* What a forward may sign, and where it may send to. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { type ForwardBench, openForwards } from '../../testing/forwards.ts';
import { eventually } from '../../testing/poll.ts';
import { ok } from '../../testing/replay-jobs.ts';

setDefaultTimeout(120_000);

let forwards: ForwardBench;
beforeAll(async () => {
  forwards = await openForwards();
});
afterAll(() => forwards.close());

const secret = 'a stored secret of the platform';
const body = '{"id":"evt_1","amount":1}';
const header = (key: string): string => {
  const t = Math.floor(Date.now() / 1000);
  return `t=${t},v1=${createHmac('sha256', key).update(`${t}.${body}`).digest('hex')}`;
};
const send = (endpoint: { url: string }, key = secret) =>
  forwards.server.deliver(endpoint, body, {
    headers: { 'content-type': 'application/json', 'stripe-signature': header(key) },
  });
async function endpointWithSecret(destinations: string[], maySign = true) {
  const endpoint = await forwards.ada.createEndpoint();
  const path = `/api/endpoints/${endpoint.id}/secrets`;
  const { id } = await forwards.ada.json<{ id: string }>(201, 'POST', path, { platform: 'stripe', secret });
  await forwards.ada.json(200, 'PATCH', `${path}/${id}`, { maySign, destinations });
  return endpoint;
}

describe('sign: fresh', () => {
  test('signs valid events anew for a listed destination', async () => {
    const { url, received } = forwards.destination(ok);
    const endpoint = await endpointWithSecret([new URL(url).origin]);
    await forwards.create(endpoint, { url, sign: 'fresh' });
    const id = await send(endpoint);
    await eventually(() => received.length === 1, 20_000);
    const [, t = '', v1] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(received[0]?.headers.get('stripe-signature') ?? '') ?? [];
    expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'));
    await forwards.idle();
    const { replays } = await forwards.ada.json<{ replays: object[] }>(200, 'GET', `/api/events/${id}`);
    expect(replays).toMatchObject([{ via: 'forward', signed: true, edited: false, response: null }]);
  });

  test('an event that it may not sign is given up with the reason, and nothing is sent', async () => {
    const { url, received } = forwards.destination(ok);
    const listed = await endpointWithSecret([new URL(url).origin]);
    const silent = await endpointWithSecret([], false);
    const far = await endpointWithSecret(['https://staging.example.com']);
    for (const [endpoint, more, key, reason] of [
      [silent, {}, secret, 'may sign'],
      [listed, {}, 'a forged secret', 'valid'],
      [far, { url: 'https://other.example.com/hook' }, secret, 'listed'],
    ] as const) {
      const { id } = await forwards.create(endpoint, { url, sign: 'fresh', ...more });
      await send(endpoint, key);
      await forwards.until(endpoint, id, one => one.givenUp === 1);
      const [delivery] = await forwards.deliveries(endpoint, id);
      expect(delivery).toMatchObject({ state: 'given_up', lastStatus: null });
      expect(delivery?.lastError).toContain(reason);
      expect(delivery?.lastError).not.toContain(secret);
      await forwards.ada.json(200, 'DELETE', forwards.path(endpoint, id));
    }
    expect(received).toEqual([]);
  });

  test('400 together with headers, because every event would be given up', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const url = 'https://example.com/x';
    const headers = [['x-shop', '7']];
    const refused = (method: string, path: string, body: object) =>
      forwards.ada.json<{ error: string }>(400, method, path, body);
    const { error } = await refused('POST', forwards.path(endpoint), { name: 'a', url, sign: 'fresh', headers });
    expect(error).toStartWith('headers: a forward with sign "fresh" adds none');
    const signing = await forwards.create(endpoint, { url, sign: 'fresh', enabled: false });
    await refused('PATCH', forwards.path(endpoint, signing.id), { headers });
    const adding = await forwards.create(endpoint, { url, headers, enabled: false });
    await refused('PATCH', forwards.path(endpoint, adding.id), { sign: 'fresh' });
    await forwards.ada.json(200, 'PATCH', forwards.path(endpoint, adding.id), { sign: 'fresh', headers: [] });
    // One from before this was refused can still be changed in other ways.
    await forwards.ada.json(200, 'PATCH', forwards.path(endpoint, adding.id), { sign: 'as-captured', headers });
    const { client } = forwards.server.services.database;
    await client.execute({ sql: "UPDATE forwards SET sign = 'fresh' WHERE id = ?", args: [adding.id] });
    await forwards.ada.json(200, 'PATCH', forwards.path(endpoint, adding.id), { name: 'other' });
    await refused('PATCH', forwards.path(endpoint, adding.id), { headers });
  });
});

describe('where a forward may send to', () => {
  test('the address guard decides at each attempt, and redirects are not followed', async () => {
    const inside = forwards.destination(ok);
    const { url, received } = forwards.destination(
      () => new Response(null, { status: 302, headers: { location: inside.url } }),
    );
    const endpoint = await forwards.ada.createEndpoint();
    const { id: redirected } = await forwards.create(endpoint, { url, retry: { for: '1h', first: '1ms', max: '1ms' } });
    const refused: string[] = [];
    const { client } = forwards.server.services.database;
    for (const target of ['http://169.254.169.254/latest', 'http://10.0.0.1/', 'http://[::ffff:a00:1]/']) {
      const { id } = await forwards.create(endpoint, { url });
      // As if a name that was public had another address now.
      await client.execute({ sql: 'UPDATE forwards SET url = ? WHERE id = ?', args: [Buffer.from(target), id] });
      refused.push(id);
    }
    await forwards.server.deliver(endpoint, '{}');
    for (const id of refused) {
      await forwards.until(endpoint, id, one => one.givenUp === 1);
      expect((await forwards.deliveries(endpoint, id))[0]?.lastError).toContain('not a public address');
    }
    await forwards.until(endpoint, redirected, one => one.givenUp === 1);
    expect([received.length, inside.received.length]).toEqual([3, 0]);
  });

  test('hostile hops do no harm', async () => {
    const { url, received } = forwards.destination(ok);
    const endpoint = await forwards.ada.createEndpoint();
    const { id } = await forwards.create(endpoint, { url });
    for (const hops of ['-1', '1e9', 'x', '2', '1, 9', '99999999999'])
      await forwards.server.deliver(endpoint, hops, { headers: { 'x-hooktape-hops': hops } });
    await forwards.until(endpoint, id, one => one.waiting + one.failed === 0 && one.givenUp === 1);
    const sent = new Map(received.map(({ body: text, headers }) => [text, headers.get('x-hooktape-hops')]));
    expect(Object.fromEntries(sent)).toEqual({ '-1': '1', '1e9': '1', x: '1', '2': '3', '99999999999': '1' });
  });
});
