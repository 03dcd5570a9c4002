/* Subscribing, refreshing and unsubscribing: who may, what is checked, and what the answers say. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { isSignedWith, newSecret } from '../../testing/mcp-receiver.ts';
import { createCaller, openSubscriptions, type SubscriptionBench } from '../../testing/mcp-subscriptions.ts';
import { encodeCursor } from '../mcp-events/cursor.ts';

setDefaultTimeout(120_000);

const hour = 3_600_000;
const invalidParams = -32602;
let bench: SubscriptionBench;
beforeEach(async () => {
  bench = await openSubscriptions();
});
afterEach(() => bench.close());

/** The code and the data of an error. */
async function errorOf(params: object, call = bench.app.call, method = 'events/subscribe') {
  const { result, error } = await call(method, params);
  if (!error) throw new Error(`no error: ${JSON.stringify(result)}`);
  return error.data === undefined ? [error.code] : [error.code, error.data];
}
const storedText = async (): Promise<string> => {
  const { rows } = await bench.server.services.database.client.execute('SELECT * FROM mcp_subscriptions');
  return JSON.stringify(rows.map(row => Object.values(row).map(value => Buffer.from(String(value)).toString())));
};

describe('the first subscribe', () => {
  test('asks the callback, and answers with where it begins and ends', async () => {
    const to = bench.receiver();
    await bench.deliver('{"before":1}');
    const { id, refreshBefore, cursor, truncated, deliveryStatus } = await bench.subscribe(to);
    expect(id).toMatch(/^sub_[0-9a-f]{32}$/);
    expect(Date.parse(refreshBefore ?? '') - bench.clock.now()).toBe(24 * hour);
    expect([truncated, deliveryStatus]).toEqual([false, { active: true, lastDeliveryAt: null, lastError: null }]);
    expect(to.challenges()).toHaveLength(1);
    expect(to.messages[0]?.headers.get('x-mcp-subscription-id')).toBe(id);
    const event = await bench.deliver('{"after":1}');
    await bench.until(() => to.events().length > 0);
    await bench.idle();
    expect(to.events().map(({ eventId }) => eventId)).toEqual([event]);
    expect(to.problems).toEqual([]);
    // The cursor of the answer works in a poll, and that of the occurrence is after it.
    const poll = { name: 'webhook.received', arguments: { endpoint: bench.endpoint.id } };
    const polled = await bench.app.call('events/poll', { ...poll, cursor });
    expect(polled.result).toMatchObject({ events: [{ eventId: event, cursor: to.events()[0]?.cursor }] });
    expect((await bench.app.call('events/poll', { ...poll, cursor: to.events()[0]?.cursor })).result).toMatchObject({
      events: [],
    });
  });

  test('keeps neither the path of the callback nor its secret readable, and logs neither', async () => {
    const to = bench.receiver();
    const url = `${to.url}/very-private-path?token=very-private-token`;
    const { error } = await bench.app.call('events/subscribe', bench.params(to, {}, url));
    expect(error).toBeUndefined();
    await bench.deliver();
    await bench.idle();
    to.answer(() => new Response(null, { status: 500 }));
    await bench.deliver();
    await bench.idle();
    const seen = [await storedText(), JSON.stringify(await bench.apps()), JSON.stringify(bench.server.lines)].join();
    expect(seen).not.toContain('very-private');
    expect(seen).not.toContain(to.secrets[0] ?? '');
    expect((await bench.apps())[0]?.subscriptions[0]?.origin).toBe(new URL(to.url).origin);
    expect(to.messages.every(({ query }) => query === '?token=very-private-token')).toBe(true);
  });

  test.each([
    [120_000, 1],
    [120_000, -5],
    [7 * 24 * hour, Number.MAX_SAFE_INTEGER],
    [hour, hour],
    [null, null],
  ])('is granted %p ms for a wish of %p', async (granted, ttlMs) => {
    const { refreshBefore } = await bench.subscribe(bench.receiver(), { ttlMs });
    expect(refreshBefore === null ? null : Date.parse(refreshBefore) - bench.clock.now()).toBe(granted);
  });

  test('begins at a cursor, and says whether something was taken since', async () => {
    const poll = { name: 'webhook.received', arguments: { endpoint: bench.endpoint.id }, cursor: null };
    const { result } = await bench.app.call('events/poll', poll);
    const [first, second] = [await bench.deliver('{"n":1}'), await bench.deliver('{"n":2}')];
    const to = bench.receiver();
    expect(await bench.subscribe(to, { cursor: result?.['cursor'] })).toMatchObject({ truncated: false });
    await bench.idle();
    expect(
      to
        .events()
        .map(({ eventId }) => eventId)
        .sort(),
    ).toEqual([first, second].sort());

    bench.clock.advance(60_000);
    const third = await bench.deliver('{"n":3}');
    const late = bench.receiver();
    const since = { cursor: result?.['cursor'], maxAgeMs: 30_000 };
    expect(await bench.subscribe(late, since)).toMatchObject({ truncated: true });
    await bench.idle();
    expect(late.events().map(({ eventId }) => eventId)).toEqual([third]);
    expect(late.gaps()).toEqual([]);
  });
});

describe('what is refused', () => {
  test('a key, with Forbidden in the numbers that the client understands', async () => {
    const to = bench.receiver();
    const call = createCaller(bench.harness.fetch, bench.ada.key);
    const declaring = createCaller(bench.harness.fetch, bench.ada.key, true);
    expect((await errorOf(bench.params(to), call))[0]).toBe(-32012);
    expect((await errorOf(bench.params(to), declaring))[0]).toBe(-32024);
    expect((await errorOf(bench.params(to), call, 'events/unsubscribe'))[0]).toBe(-32012);
    expect(to.messages).toEqual([]);
  });

  test.each([
    ['http to another host', 'http://example.com/hook'],
    ['http to a name of this machine', 'http://localhost:1/hook'],
    ['a private address', 'https://10.0.0.1/hook'],
    ['a link-local address', 'https://169.254.169.254/hook'],
    ['another scheme', 'ftp://example.com/hook'],
    ['a user name', 'https://user@example.com/hook'],
    ['no URL', 'hook'],
  ])('%s as invalid params', async (_, url) => {
    expect((await errorOf(bench.params(bench.receiver(), {}, url)))[0]).toBe(invalidParams);
  });

  test('an ingest URL of this server', async () => {
    const url = bench.endpoint.url;
    expect((await errorOf(bench.params(bench.receiver(), {}, url)))[0]).toBe(invalidParams);
  });

  test.each([
    ['no secret', undefined],
    ['one of 23 bytes', newSecret(23)],
    ['one of 65 bytes', newSecret(65)],
    ['one without a prefix', newSecret().slice(6)],
    ['one that is not base64', `whsec_${'!'.repeat(44)}`],
  ])('as a secret: %s', async (_, secret) => {
    const to = bench.receiver();
    const delivery = { mode: 'webhook', url: to.url, secret };
    expect((await errorOf(bench.params(to, { delivery })))[0]).toBe(invalidParams);
  });

  test('unknown types, endpoints and arguments, and a cursor of another endpoint', async () => {
    const to = bench.receiver();
    const other = await bench.ada.createEndpoint('other');
    const { result } = await bench.app.call('events/poll', {
      name: 'webhook.received',
      arguments: { endpoint: other.id },
      cursor: null,
    });
    const bob = await bench.harness.createAccount('bob@example.com');
    const foreign = { endpoint: (await bob.createEndpoint()).id };
    expect(await errorOf(bench.params(to, { name: 'nothing' }))).toEqual([-32011, { kind: 'event' }]);
    expect(await errorOf(bench.params(to, { arguments: foreign }))).toEqual([-32011, { kind: 'endpoint' }]);
    expect(await errorOf(bench.params(to, { arguments: foreign }), bench.app.declaring)).toEqual([
      -32023,
      { kind: 'endpoint' },
    ]);
    expect((await errorOf(bench.params(to, { arguments: { endpoint: bench.endpoint.id, x: 1 } })))[0]).toBe(
      invalidParams,
    );
    expect((await errorOf(bench.params(to, { cursor: result?.['cursor'] })))[0]).toBe(invalidParams);
    expect(to.messages).toEqual([]);
  });

  test.each<[string, () => Response]>([
    ['another text', () => Response.json({ challenge: 'x'.repeat(43) })],
    ['no JSON', () => new Response('yes')],
    ['204', () => new Response(null, { status: 204 })],
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/', 302)],
    ['an error', () => new Response(null, { status: 500 })],
  ])('a callback that answers the challenge with %s', async (_, answer) => {
    const to = bench.receiver();
    to.answerChallenge(answer);
    expect(await errorOf(bench.params(to))).toEqual([-32015, { reason: 'challenge_failed' }]);
    expect(await errorOf(bench.params(to), bench.app.declaring)).toEqual([-32027, { reason: 'challenge_failed' }]);
    expect((await bench.apps())[0]?.subscriptions).toEqual([]);
  });

  test('a callback that nobody listens at', async () => {
    const to = bench.receiver();
    await to.close();
    expect(await errorOf(bench.params(to))).toEqual([-32015, { reason: 'connection_refused' }]);
  });
});

describe('limits', () => {
  test('a callback is challenged once for an app, however many subscriptions it gets', async () => {
    const to = bench.receiver();
    for (const where of ['type:a', 'type:b']) {
      const given = { endpoint: bench.endpoint.id, where };
      await bench.subscribe(to, { arguments: given });
    }
    expect(to.challenges()).toHaveLength(1);
    const other = await bench.connect();
    await bench.subscribe(to, {}, other.call);
    expect(to.challenges()).toHaveLength(2);
  });

  test('ten challenges a minute', async () => {
    const to = bench.receiver();
    to.answerChallenge(() => new Response(null, { status: 404 }));
    for (let n = 0; n < 10; n++) expect((await errorOf(bench.params(to)))[0]).toBe(-32015);
    const [code, data] = await errorOf(bench.params(to));
    expect([code, data]).toMatchObject([-32013, { retryAfterMs: 60_000 }]);
    bench.clock.advance(60_000);
    expect((await errorOf(bench.params(to)))[0]).toBe(-32015);
  });

  test('20 an app, exact under parallel requests', async () => {
    const to = bench.receiver();
    const given = (n: number) => ({ arguments: { endpoint: bench.endpoint.id, where: `type:t${n}` } });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => bench.app.call('events/subscribe', bench.params(to, given(n)))),
    );
    expect(answers.filter(({ result }) => result)).toHaveLength(20);
    expect(to.challenges()).toHaveLength(1);
    const refused = answers.flatMap(({ error }) => error ?? []);
    expect(refused.every(({ code, data }) => code === -32013 && data?.['max'] === 20)).toBe(true);
    expect((await bench.apps())[0]?.subscriptions).toHaveLength(20);
    // A refresh needs no place.
    const made = answers.findIndex(({ result }) => result);
    expect((await bench.app.call('events/subscribe', bench.params(to, given(made)))).error).toBeUndefined();
  });

  test('100 a team, exact under parallel requests', async () => {
    const to = bench.receiver();
    await bench.subscribe(to);
    // Of other apps; that of this one is copied 97 times.
    await bench.server.services.database.client.execute(`INSERT INTO mcp_subscriptions
      (id, owner, app_id, team_id, account_id, grant_id, name, endpoint, arguments, origin, sealed, dialect, since,
       position, answered, refresh_before, refreshed_at, created_at)
      SELECT 'sub_' || value, 'owner-' || value, 'app-' || value % 9, team_id, account_id, grant_id, name, endpoint,
        arguments, origin, sealed, dialect, since, position, 0, refresh_before, refreshed_at, created_at
      FROM mcp_subscriptions, json_each('[${Array.from({ length: 97 }, (_, n) => n)}]')`);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        bench.app.declaring('events/subscribe', bench.params(to, { arguments: { endpoint: 'shop', where: `t${n}` } })),
      ),
    );
    expect(answers.filter(({ result }) => result)).toHaveLength(2);
    const refused = answers.flatMap(({ error }) => error ?? []);
    const data = { limit: 'subscriptions per team', max: 100 };
    expect(refused.map(error => [error.code, error.data])).toEqual(Array(4).fill([-32025, data]));
  });

  test('the same subscription in parallel is one', async () => {
    const to = bench.receiver();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => bench.app.call('events/subscribe', bench.params(to))),
    );
    expect(new Set(answers.map(({ result }) => result?.['id'])).size).toBe(1);
    expect((await bench.apps())[0]?.subscriptions).toHaveLength(1);
  });
});

describe('a refresh', () => {
  test('is the same key, in any order of its arguments, and keeps the id', async () => {
    const to = bench.receiver();
    const given = { endpoint: bench.endpoint.id, where: 'type:a', per: 'event' };
    const { id } = await bench.subscribe(to, { arguments: given });
    const turned = { per: 'event', where: 'type:a', endpoint: bench.endpoint.id };
    expect(await bench.subscribe(to, { arguments: turned, ttlMs: null })).toMatchObject({ id, refreshBefore: null });
    expect((await bench.subscribe(to, { arguments: { ...given, where: 'type:b' } })).id).not.toBe(id);
    expect((await bench.subscribe(to, { arguments: { ...given, endpoint: 'shop' } })).id).not.toBe(id);
  });

  test('signs with the old secret, too, for 24 hours', async () => {
    const to = bench.receiver();
    await bench.subscribe(to, { ttlMs: null });
    const [old = ''] = to.secrets;
    to.secrets.unshift(newSecret());
    await bench.subscribe(to, { ttlMs: null });
    // A refresh with an unchanged secret changes nothing.
    await bench.subscribe(to, { ttlMs: null });
    const signedWith = async (): Promise<boolean[]> => {
      const texts: string[] = [];
      to.answer(({ body }) => {
        texts.push(JSON.stringify(body));
        return new Response(null, { status: 204 });
      });
      await bench.deliver();
      await bench.idle();
      const { headers } = to.messages.at(-1) ?? { headers: new Headers() };
      return [to.secrets[0] ?? '', old].map(secret => isSignedWith(secret, headers, texts.at(-1) ?? ''));
    };
    expect(await signedWith()).toEqual([true, true]);
    bench.clock.advance(24 * hour - 1);
    expect(await signedWith()).toEqual([true, true]);
    bench.clock.advance(1);
    expect(await signedWith()).toEqual([true, false]);
    expect(to.problems).toEqual([]);
  });

  test('with a new secret in parallel to another one leaves both valid', async () => {
    const to = bench.receiver();
    await bench.subscribe(to);
    const secrets = [newSecret(), newSecret()];
    const { name, arguments: given, delivery } = bench.params(to);
    const refresh = (secret: string) =>
      bench.app.call('events/subscribe', { name, arguments: given, delivery: { ...delivery, secret } });
    const answers = await Promise.all(secrets.map(refresh));
    expect(answers.map(({ error }) => error)).toEqual([undefined, undefined]);
    to.secrets.unshift(...secrets);
    await bench.deliver();
    await bench.idle();
    const { headers, body } = to.messages.at(-1) ?? { headers: new Headers(), body: {} };
    const text = JSON.stringify(body);
    expect(secrets.map(secret => isSignedWith(secret, headers, text))).toEqual([true, true]);
  });

  test('with a cursor behind the position changes nothing; one ahead skips', async () => {
    const to = bench.receiver();
    const { cursor } = await bench.subscribe(to);
    to.answer(() => new Response(null, { status: 503 }));
    for (let n = 0; n < 3; n++) await bench.deliver(`{"n":${n}}`);
    await bench.idle();
    const waiting = async () => (await bench.apps())[0]?.subscriptions[0]?.waiting;
    expect(await bench.subscribe(to, { cursor })).toMatchObject({ cursor });
    expect(await waiting()).toBe(3);
    const poll = { name: 'webhook.received', arguments: { endpoint: bench.endpoint.id }, cursor: null };
    await bench.deliver('{"n":3}');
    const now = (await bench.app.call('events/poll', poll)).result?.['cursor'];
    await bench.idle();
    await bench.subscribe(to, { cursor: now });
    expect((await bench.subscribe(to)).truncated).toBe(false);
  });

  test('and a first subscribe begin now with a cursor from before a backup was restored', async () => {
    const scope = { name: 'webhook.received', id: bench.endpoint.id } as const;
    const cursor = encodeCursor(scope, { seq: 1_000_000, since: 999_999 });
    const to = bench.receiver();
    await bench.subscribe(to, { cursor });
    const first = await bench.deliver();
    await bench.subscribe(to, { cursor });
    const second = await bench.deliver();
    await bench.idle();
    expect(new Set(to.events().map(({ eventId }) => eventId))).toEqual(new Set([first, second]));
  });

  test('a subscription that has run out of time ends, and begins anew', async () => {
    const to = bench.receiver();
    const { id } = await bench.subscribe(to, { ttlMs: hour });
    bench.clock.advance(hour);
    expect((await bench.apps())[0]?.subscriptions).toEqual([]);
    await bench.deliver();
    await bench.idle();
    expect([to.events(), to.terminations()]).toEqual([[], []]);
    expect((await bench.subscribe(to)).id).toBe(id);
    const event = await bench.deliver();
    await bench.idle();
    expect(to.events().map(({ eventId }) => eventId)).toEqual([event]);
    expect(to.challenges()).toHaveLength(1);
  });
});

test('unsubscribe ends it, and an unknown one is an error only for clients of the extension', async () => {
  const to = bench.receiver();
  await bench.subscribe(to);
  const { name, arguments: given } = bench.params(to);
  const key = { name, arguments: given, delivery: { url: to.url } };
  expect((await bench.app.call('events/unsubscribe', key)).error).toBeUndefined();
  await bench.deliver();
  await bench.idle();
  expect([to.events(), to.terminations(), (await bench.apps())[0]?.subscriptions]).toEqual([[], [], []]);
  expect((await bench.app.call('events/unsubscribe', key)).error).toBeUndefined();
  expect(await errorOf(key, bench.app.declaring, 'events/unsubscribe')).toEqual([-32023, { kind: 'subscription' }]);
});
