/* Replacing the URL of an endpoint, with an overlap in which both URLs take deliveries. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { Endpoint } from './model.ts';

const hour = 3_600_000;
const clock = holdClock();
const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
const open = () => openTestServer({ clock, directory });
let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  server = await open();
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
});
afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});

const rotate = (of: { id: string }, body: object = {}) =>
  ada.json<Endpoint>(200, 'POST', `/api/endpoints/${of.id}/rotate`, body);
const read = (of: { id: string }) => ada.json<Endpoint>(200, 'GET', `/api/endpoints/${of.id}`);
const statusOf = async (url: string, on = server) => {
  const { pathname } = new URL(url);
  return (await fetch(`${await on.listen()}${pathname}`, { method: 'POST', body: '{}' })).status;
};

describe('POST /api/endpoints/{id}/rotate', () => {
  test('gives a new URL; the old one takes deliveries for 24 hours and is 404 afterwards', async () => {
    const before = await ada.createEndpoint();
    const after = await rotate(before);
    expect(after.url).not.toBe(before.url);
    const [previous] = after.previousUrls;
    expect(after.previousUrls).toEqual([{ id: previous?.id ?? '', url: before.url, until: clock.now() + 24 * hour }]);
    for (const url of [before.url, after.url]) await server.deliver({ url });
    expect(await read(after)).toMatchObject({ eventCount: 2, url: after.url, previousUrls: after.previousUrls });
    clock.advance(24 * hour - 1);
    expect(await statusOf(before.url)).toBe(200);
    clock.advance(1);
    expect([await statusOf(before.url), await statusOf(after.url)]).toEqual([404, 200]);
    expect((await read(after)).previousUrls).toEqual([]);
  });

  test('twice in a row: each old URL keeps its own end', async () => {
    const first = await ada.createEndpoint();
    const second = await rotate(first, { overlap: '3h' });
    const third = await rotate(first, { overlap: '1h' });
    expect(third.previousUrls.map(({ url }) => url)).toEqual([second.url, first.url]);
    const answers = () => Promise.all([first, second, third].map(({ url }) => statusOf(url)));
    expect(await answers()).toEqual([200, 200, 200]);
    clock.advance(hour);
    expect(await answers()).toEqual([200, 404, 200]);
    clock.advance(2 * hour);
    expect(await answers()).toEqual([404, 404, 200]);
  });

  test('without an overlap the old URL is 404 at once', async () => {
    for (const overlap of ['0', '0s']) {
      const before = await ada.createEndpoint();
      const after = await rotate(before, { overlap });
      expect([await statusOf(before.url), await statusOf(after.url), after.previousUrls]).toEqual([404, 200, []]);
    }
  });

  test.each([['31d'], ['721h'], ['soon'], ['-1h'], [''], [24], [null]])('400 for the overlap %j', async overlap => {
    const endpoint = await ada.createEndpoint();
    const { error } = await ada.json(400, 'POST', `/api/endpoints/${endpoint.id}/rotate`, { overlap });
    expect(error).toContain('overlap');
    expect((await read(endpoint)).url).toBe(endpoint.url);
  });

  test('403 while 5 old URLs take deliveries, also for concurrent requests; ending one makes room', async () => {
    const endpoint = await ada.createEndpoint();
    const path = `/api/endpoints/${endpoint.id}/rotate`;
    const answers = await Promise.all(Array.from({ length: 8 }, () => ada.call('POST', path, { overlap: '30d' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 403, 403, 403]);
    const { previousUrls, url } = await read(endpoint);
    expect(new Set([url, ...previousUrls.map(one => one.url)]).size).toBe(6);
    for (const one of [url, ...previousUrls.map(old => old.url)]) expect(await statusOf(one)).toBe(200);
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}/previous-urls/${previousUrls[0]?.id}`);
    await rotate(endpoint);
  });

  test('a deleted endpoint takes deliveries to none of its URLs', async () => {
    const before = await ada.createEndpoint();
    const after = await rotate(before);
    await ada.json(200, 'DELETE', `/api/endpoints/${before.id}`);
    expect([await statusOf(before.url), await statusOf(after.url)]).toEqual([404, 404]);
  });
});

describe('DELETE /api/endpoints/{id}/previous-urls/{urlId}', () => {
  test('ends the overlap of that URL at once, and a second call is 404', async () => {
    const first = await ada.createEndpoint();
    const second = await rotate(first);
    const third = await rotate(first);
    const path = `/api/endpoints/${first.id}/previous-urls/${third.previousUrls[0]?.id}`;
    expect((await bob.call('DELETE', path)).status).toBe(404);
    expect(await ada.json(200, 'DELETE', path)).toEqual({ ok: true });
    expect(await Promise.all([first, second, third].map(({ url }) => statusOf(url)))).toEqual([200, 404, 200]);
    expect((await read(first)).previousUrls.map(({ url }) => url)).toEqual([first.url]);
    await ada.json(404, 'DELETE', path);
  });
});

describe('a signature that covers the URL', () => {
  const secret = 'a token of the sender';
  /** As Twilio signs a request without parameters. */
  const signedFor = (url: string) => ({
    'x-twilio-signature': createHmac('sha1', secret).update(url).digest('base64'),
    'content-type': 'application/x-www-form-urlencoded',
  });
  const deliver = (to: string, url: string) => server.deliver({ url: to }, '', { headers: signedFor(url) });
  const verdicts = async (ids: string[]) =>
    Promise.all(
      ids.map(
        async id =>
          (await ada.json<{ signatureValid: boolean | null }>(200, 'GET', `/api/events/${id}`)).signatureValid,
      ),
    );

  test('is verified with the URL that the request came to, in lists and details, also after the overlap', async () => {
    const before = await ada.createEndpoint();
    const early = await deliver(before.url, before.url);
    clock.advance(hour);
    const after = await rotate(before, { overlap: '1h' });
    clock.advance(60_000);
    const ids = [
      early,
      await deliver(before.url, before.url),
      await deliver(after.url, after.url),
      await deliver(before.url, after.url),
      await deliver(after.url, before.url),
    ];
    const expected = [true, true, true, false, false];
    // Registered later: stored events are verified again.
    await ada.json(201, 'POST', `/api/endpoints/${before.id}/secrets`, { platform: 'twilio', secret });
    expect(await verdicts(ids)).toEqual(expected);
    const listed = async (where: string) =>
      (
        await ada.json<{ events: { id: string; signatureValid: boolean }[] }>(
          200,
          'GET',
          `/api/events?endpointId=${before.id}${where}`,
        )
      ).events;
    expect((await listed('')).map(one => [one.id, one.signatureValid]).reverse()).toEqual(
      ids.map((id, i) => [id, expected[i] ?? false]),
    );
    expect((await listed('&where=verdict:valid')).map(({ id }) => id)).toEqual(ids.slice(0, 3).reverse());
    clock.advance(24 * hour);
    expect(await verdicts(ids)).toEqual(expected);
  });

  test('is valid in the moment of the rotation, whichever URL the process knew then', async () => {
    const before = await ada.createEndpoint();
    await ada.json(201, 'POST', `/api/endpoints/${before.id}/secrets`, { platform: 'twilio', secret });
    // Taken as the current URL, and stored with the time of the rotation.
    const id = await deliver(before.url, before.url);
    const after = await rotate(before);
    expect(await verdicts([id, await deliver(after.url, after.url)])).toEqual([true, true]);
  });
});

test('a restart keeps the URLs, their ends and the verdicts', async () => {
  const before = await ada.createEndpoint('restarted');
  const id = await server.deliver(before);
  const after = await rotate(before, { overlap: '2h' });
  await ada.json(200, 'PATCH', `/api/endpoints/${after.id}`, { paused: true });
  await server.close();
  server = await open();
  const again = { authorization: `Bearer ${ada.key}` };
  const get = async (path: string) => (await server.fetch(path, { headers: again })).json();
  expect(await get(`/api/endpoints/${after.id}`)).toMatchObject({
    url: after.url,
    path: new URL(after.url).pathname,
    previousUrls: after.previousUrls,
    paused: true,
    refusedWhilePaused: 0,
  });
  expect(await get(`/api/events/${id}`)).toMatchObject({ id });
  expect([await statusOf(before.url), await statusOf(after.url)]).toEqual([503, 503]);
  await server.fetch(`/api/endpoints/${after.id}`, { method: 'PATCH', headers: again, body: '{"paused":false}' });
  expect([await statusOf(before.url), await statusOf(after.url)]).toEqual([200, 200]);
  clock.advance(2 * hour);
  expect([await statusOf(before.url), await statusOf(after.url)]).toEqual([404, 200]);
});
