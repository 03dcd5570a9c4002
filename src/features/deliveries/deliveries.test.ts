/* Attempts of deliveries as senders make them, through the API. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { parseEventId } from '../../core/ids/ids.ts';
import { holdClock } from '../../testing/clock.ts';
import { createTestPacker, markRowsToPack } from '../../testing/packing.ts';
import { openRetryingSender } from '../../testing/retries.ts';
import { storeAsRows } from '../../testing/stored-events.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

const minute = 60_000;
const hour = 60 * minute;
const whsec = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount();
});
afterAll(() => server.close());

const openSender = () => openRetryingSender(server, ada);
const jsonHeaders = { 'content-type': 'application/json' };
const places = (events: { delivery: { attempt: number; attempts: number } }[]): string[] =>
  events.map(({ delivery: { attempt, attempts } }) => `${attempt}/${attempts}`);

describe('a sender that tries again', () => {
  test.each(['svix', 'webhook'] as const)('with the library of %s makes one delivery', async prefix => {
    const sender = await openSender();
    await ada.json(201, 'POST', `/api/endpoints/${sender.endpoint.id}/secrets`, {
      platform: prefix === 'svix' ? 'svix' : 'standard-webhooks',
      secret: whsec,
    });
    const library = prefix === 'svix' ? new SvixWebhook(whsec) : new StandardWebhook(whsec);
    const body = '{"type":"invoice.paid","data":{"id":"in_1"}}';
    // The sender takes the first two answers for 500, as it would a crashed consumer's, and keeps to its schedule.
    const gaps = [0, 5000, 5 * minute];
    const signatures = new Set<string>();
    for (const gap of gaps) {
      clock.advance(gap);
      const at = new Date(Math.floor(clock.now() / 1000) * 1000);
      const signature = library.sign('msg_1', at, body);
      signatures.add(signature);
      const headers = {
        [`${prefix}-id`]: 'msg_1',
        [`${prefix}-timestamp`]: String(at.getTime() / 1000),
        [`${prefix}-signature`]: signature,
      };
      await server.deliver(sender.endpoint, body, { headers: { ...jsonHeaders, ...headers } });
    }
    expect(signatures.size).toBe(3);
    const { events } = await sender.page();
    expect(places(events)).toEqual(['3/3', '2/3', '1/3']);
    expect(new Set(events.map(({ delivery }) => delivery.key)).size).toBe(1);
    const found = await sender.delivery(events[0]?.delivery.key ?? '');
    expect(found).toMatchObject({
      basis: 'header',
      platform: prefix === 'svix' ? 'svix' : 'standard-webhooks',
      bodiesDiffer: false,
    });
    expect(found.attempts.map(({ gapMs, signatureValid, answered }) => [gapMs, signatureValid, answered])).toEqual(
      [null, 5000, 5 * minute].map(gap => [
        gap,
        true,
        { status: 200, rule: null, delayMs: 0, fault: null, limited: false },
      ]),
    );
    expect((await sender.page('&group=delivery')).events).toEqual([expect.objectContaining({ id: events[0]?.id })]);
    expect(await ada.json(200, 'GET', `/api/endpoints/${sender.endpoint.id}/retries`)).toMatchObject({
      events: 3,
      senders: [
        {
          deliveries: 1,
          retries: [
            { attempt: 2, gapMs: 5000 },
            { attempt: 3, gapMs: 5 * minute },
          ],
        },
      ],
    });
  });

  test('GitHub: a redelivery has the id of the delivery', async () => {
    const sender = await openSender();
    const deliver = (id: string, body: string) =>
      server.deliver(sender.endpoint, body, {
        headers: { ...jsonHeaders, 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': id },
      });
    await deliver('72d3162e-cc78-11e3-81ab-4c9367dc0958', '{"ref":"refs/heads/main"}');
    await deliver('other', '{"ref":"refs/heads/main"}');
    clock.advance(100 * hour);
    const last = await deliver('72d3162e-cc78-11e3-81ab-4c9367dc0958', '{"ref":"refs/heads/main"}');
    expect(places((await sender.page()).events)).toEqual(['2/2', '1/1', '1/2']);
    expect(await sender.detail(last)).toMatchObject({ delivery: { basis: 'header', attempt: 2, attempts: 2 } });
  });

  test('Stripe: the id is in the body, the timestamp of the signature is new; a changed body is told', async () => {
    const sender = await openSender();
    const deliver = async (pending: number): Promise<void> => {
      const payload = JSON.stringify({ id: 'evt_1', type: 'invoice.paid', pending_webhooks: pending });
      const signature = await new Stripe('sk_test_x').webhooks.generateTestHeaderStringAsync({
        payload,
        secret: 'secret',
        timestamp: Math.floor(clock.now() / 1000),
      });
      await server.deliver(sender.endpoint, payload, { headers: { ...jsonHeaders, 'stripe-signature': signature } });
      clock.advance(hour);
    };
    for (const pending of [2, 2, 1]) await deliver(pending);
    const { events } = await sender.page();
    expect(places(events)).toEqual(['3/3', '2/3', '1/3']);
    expect(await sender.delivery(events[1]?.delivery.key ?? '')).toMatchObject({
      basis: 'body',
      platform: 'stripe',
      bodiesDiffer: true,
      attempts: [{ gapMs: null }, { gapMs: hour }, { gapMs: hour }],
    });
  });

  test('without an id: the same content belongs together while each attempt follows the last within 72 hours', async () => {
    const sender = await openSender();
    const at = clock.now();
    const times = [0, 1, 72 * hour + 1, 3 * 72 * hour, 3 * 72 * hour];
    await sender.sendAll(times.map(time => ({ receivedAt: at + time, body: '{"n":1}' })));
    await sender.send({ receivedAt: at + 2, body: '{"n":2}' });
    await sender.send({ receivedAt: at + 3, body: '{"n":1}', path: '/other' });
    const { events } = await sender.page();
    expect(places(events)).toEqual(['2/2', '1/2', '3/3', '1/1', '1/1', '2/3', '1/3']);
    const [later, , earlier] = events.map(({ delivery }) => delivery.key);
    expect(later).not.toBe(earlier);
    expect(await sender.delivery(earlier ?? '')).toMatchObject({
      basis: 'content',
      platform: null,
      attempts: [{ gapMs: null }, { gapMs: 1 }, { gapMs: 72 * hour }],
      bodiesDiffer: false,
    });
    expect((await sender.delivery(later ?? '')).attempts.map(({ gapMs }) => gapMs)).toEqual([null, 0]);
  });

  test('an attempt that anybody could have sent is in the delivery with its own verdict', async () => {
    const sender = await openSender();
    await ada.json(201, 'POST', `/api/endpoints/${sender.endpoint.id}/secrets`, { platform: 'svix', secret: whsec });
    const at = new Date(Math.floor(clock.now() / 1000) * 1000);
    const headers = {
      ...jsonHeaders,
      'svix-id': 'msg_1',
      'svix-timestamp': String(at.getTime() / 1000),
      'svix-signature': new SvixWebhook(whsec).sign('msg_1', at, '{"a":1}'),
    };
    await server.deliver(sender.endpoint, '{"a":1}', { headers });
    await server.deliver(sender.endpoint, '{"a":2}', { headers });
    const { events } = await sender.page();
    const found = await sender.delivery(events[0]?.delivery.key ?? '');
    expect(found.attempts.map(({ signatureValid }) => signatureValid)).toEqual([true, false]);
    expect(found.bodiesDiffer).toBe(true);
  });

  test('a filter finds repeated attempts: in the list, folded and explained', async () => {
    const sender = await openSender();
    const at = clock.now() - hour;
    const ids = await sender.sendAll(
      ['a', 'b', 'a', 'a', undefined].map((id, n) => ({ receivedAt: at + n, id, body: '{"needle":1}' })),
    );
    const found = async (where: string, more = '') =>
      (await sender.page(`&where=${encodeURIComponent(where)}${more}`)).events.map(({ id }) => ids.indexOf(id));
    expect(await found('attempt>1')).toEqual([3, 2]);
    expect(await found('attempt:1')).toEqual([4, 1, 0]);
    expect(await found('attempt>1 body.needle:1')).toEqual([3, 2]);
    expect(await found('NOT attempt<3 needle')).toEqual([3]);
    expect(await found('attempt>5')).toEqual([]);
    expect(await found('attempt<3', '&group=delivery')).toEqual([4, 2, 1]);
    expect(await found('attempt>1', '&q=needle')).toEqual([3, 2]);
    const explained = await ada.json<{ matched: { id: string }[]; unmatched: { clause: string }[] }>(
      200,
      'POST',
      `/api/endpoints/${sender.endpoint.id}/where/test`,
      { where: 'attempt>2' },
    );
    expect(explained.matched.map(({ id }) => ids.indexOf(id))).toEqual([3]);
    expect(new Set(explained.unmatched.map(({ clause }) => clause))).toEqual(new Set(['attempt>2']));
  });

  test('a handshake was answered as its platform expects', async () => {
    const sender = await openSender();
    const response = await fetch(`${await server.listen()}${new URL(sender.endpoint.url).pathname}`, {
      method: 'OPTIONS',
      headers: { 'webhook-request-origin': 'events.example.com' },
    });
    const { events } = await sender.page();
    const [attempt] = (await sender.delivery(events[0]?.delivery.key ?? '')).attempts;
    expect(attempt?.answered.status).toBe(response.status);
  });
});

describe('GET /api/deliveries/{key}', () => {
  test('404 for a key of another endpoint or team, for unknown ones, and without visible attempts', async () => {
    const [sender, other] = [await openSender(), await openSender()];
    const bob = await server.createAccount('bob@example.com');
    const [id] = await sender.sendAll([{ receivedAt: clock.now(), id: 'a' }]);
    const { key } = (await sender.detail(id ?? '')).delivery;
    expect(await sender.statusOf(key)).toBe(200);
    expect(await other.statusOf(key)).toBe(404);
    expect((await bob.call('GET', `/api/deliveries/${key}?endpointId=${sender.endpoint.id}`)).status).toBe(404);
    for (const wrong of ['x', `${key}0`, 'zzzzzzzzzzz', '00000000000', encodeURIComponent("'\u0000")])
      expect(await sender.statusOf(wrong)).toBe(404);
    expect((await ada.call('GET', `/api/deliveries/${key}`)).status).toBe(400);
    await ada.json(200, 'DELETE', `/api/events/${id}`);
    expect(await sender.statusOf(key)).toBe(404);
  });

  test('the key of a delivery without an id leads to its rest when its first attempt is gone', async () => {
    const sender = await openSender();
    const at = clock.now();
    const ids = await sender.sendAll([0, 1, 2, 100].map(hours => ({ receivedAt: at + hours * hour })));
    const { key } = (await sender.detail(ids[0] ?? '')).delivery;
    await ada.json(200, 'DELETE', `/api/events/${ids[0]}`);
    expect((await sender.delivery(key)).attempts.map(({ id }) => id)).toEqual(ids.slice(1, 3));
  });

  test('an attempt that retention has removed, or hides already, does not count', async () => {
    const sender = await openSender();
    const ids = await sender.sendAll([3, 2, 1].map(hours => ({ receivedAt: clock.now() - hours * hour, id: 'a' })));
    await ada.json(200, 'PUT', `/api/events/${ids[0]}/pin`, {});
    await ada.json(200, 'PATCH', `/api/endpoints/${sender.endpoint.id}`, { retention: '90m' });
    // The second is expired; the first is pinned.
    expect(places((await sender.page()).events)).toEqual(['2/2', '1/2']);
    expect(places([await sender.detail(ids[2] ?? '')])).toEqual(['2/2']);
    const { attempts } = await sender.delivery((await sender.detail(ids[2] ?? '')).delivery.key);
    expect(attempts.map(({ gapMs }) => gapMs)).toEqual([null, 2 * hour]);
  });
});

describe('attempts', () => {
  test('of an exported delivery are attempts of one in the endpoint that they are imported into', async () => {
    const [sender, other] = [await openSender(), await openSender()];
    const at = clock.now() - hour;
    await sender.sendAll([
      { receivedAt: at, id: 'a' },
      { receivedAt: at + 1, id: 'a' },
      { receivedAt: at + 2, body: '[1]' },
      { receivedAt: at + 3, body: '[1]' },
    ]);
    const file = await ada.json<{ events: unknown[] }>(200, 'GET', `/api/endpoints/${sender.endpoint.id}/export`);
    await server.services.imports.add(other.endpoint.id, file.events);
    const [from, to] = [(await sender.page()).events, (await other.page()).events];
    expect(places(to)).toEqual(['2/2', '1/2', '2/2', '1/2']);
    expect(to.map(({ delivery }) => delivery.basis)).toEqual(['content', 'content', 'header', 'header']);
    expect(to[2]?.delivery.key).not.toBe(from[2]?.delivery.key);
    expect(await sender.statusOf(to[2]?.delivery.key ?? '')).toBe(404);
  });

  test('that 1.0 stored are alone until the packer has read them', async () => {
    const sender = await openSender();
    const at = clock.now() - hour;
    const ids = await sender.sendAll([
      { receivedAt: at, id: 'a' },
      { receivedAt: at + 1, id: 'a' },
      { receivedAt: at + 2, body: '[1]' },
      { receivedAt: at + 3, body: '[1]' },
    ]);
    const expected = (await sender.page()).events;
    await storeAsRows(
      server.services.database.client,
      ids.map(id => parseEventId(id)?.seq ?? 0),
    );
    await markRowsToPack(server);
    const { events } = await sender.page('&group=delivery');
    expect(places(events)).toEqual(['1/1', '1/1', '1/1', '1/1']);
    for (const { id, delivery } of events)
      expect((await sender.delivery(delivery.key)).attempts.map(one => one.id)).toEqual([id]);
    await createTestPacker(server).run();
    expect((await sender.page()).events).toEqual(expected);
    expect(await sender.statusOf(events[0]?.delivery.key ?? '')).toBe(404);
  });
});
