import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ApiError, ConnectionError, Hooktape } from '../src/hooktape.ts';
import { type Harness, openHarness, rejection } from './harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

describe('endpoints', () => {
  test('are created, listed, read and deleted', async () => {
    const { endpoints } = harness.hooktape;
    const made = await endpoints.create({ name: 'checkout' });
    expect(made.path).toStartWith('/in/');
    expect((await endpoints.list()).map(({ id }) => id)).toContain(made.id);
    expect(await endpoints.get(made.id)).toEqual(made);
    expect(await endpoints.delete(made.id)).toEqual({ ok: true });
    expect((await endpoints.list()).map(({ id }) => id)).not.toContain(made.id);
    expect(await rejection(endpoints.get(made.id))).toMatchObject({ status: 404 });
  });

  test('one with pins is deleted only on request', async () => {
    const { endpoints } = harness.hooktape;
    const { id, ...rest } = await endpoints.create({ name: 'pinned' });
    const event = await harness.deliver({ id, ...rest });
    await harness.account.json(200, 'PUT', `/api/events/${event}/pin`, {});
    expect(await rejection(endpoints.delete(id))).toMatchObject({ status: 409 });
    expect(await endpoints.delete(id, { pinned: true })).toEqual({ ok: true });
  });

  test("a refusal has the status and the server's text", async () => {
    const error = await rejection(harness.hooktape.endpoints.create({ name: '' }));
    expect(error).toBeInstanceOf(ApiError);
    const { status, error: text, message } = error as ApiError;
    expect(status).toBe(400);
    expect(text).toContain('name');
    expect(message).toBe(`POST /api/endpoints: 400 ${text}`);
  });
});

describe('answers', () => {
  test('apply to senders until they are cleared', async () => {
    const endpoint = await harness.hooktape.endpoints.create({ name: 'answers' });
    const { answers } = harness.hooktape.endpoint(endpoint);
    const statusOf = async () => (await fetch(harness.origin + endpoint.path, { method: 'POST', body: '{}' })).status;
    const rules = [{ first: 2, answer: { status: 500 } }, { answer: { status: 202, body: 'thanks' } }];
    const stored = await answers.set(rules);
    expect(stored.rules.map(({ name }) => name)).toEqual(['rule-1', 'rule-2']);
    expect(await answers.get()).toEqual(stored);
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([500, 500, 202]);
    // The result of `get` can be set again, and restarts sequences.
    await answers.set(stored);
    expect(await statusOf()).toBe(500);
    await answers.clear();
    expect(await answers.get()).toEqual({ rules: [] });
    expect(await statusOf()).toBe(200);
    const wrong = await rejection(answers.set([{ answer: { headers: [['Set-Cookie', 'a=1']] } }]));
    expect(wrong).toMatchObject({ name: 'ApiError', status: 400 });
  });
});

describe('send', () => {
  test('sends an event, edited and signed', async () => {
    const endpoint = await harness.hooktape.endpoints.create({ name: 'send' });
    const id = await harness.deliver(endpoint, { amount: 1, note: 'kept' });
    const received: { body: string; edited: string | null }[] = [];
    const destination = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async request => {
        received.push({ body: await request.text(), edited: request.headers.get('x-hooktape-edited') });
        return new Response('thanks', { status: 202 });
      },
    });
    const to = `http://127.0.0.1:${destination.port}/hook`;
    try {
      const result = await harness.hooktape.send(id, { to, edit: { set: { amount: 2 } } });
      expect(result).toMatchObject({ ok: true, status: 202, responsePreview: 'thanks' });
      expect(received).toEqual([{ body: '{"amount":2,"note":"kept"}', edited: '1' }]);
      const dry = await harness.hooktape.send(id, { to, dryRun: true });
      expect(dry).toMatchObject({ dryRun: true, method: 'POST', url: to });
      expect(received).toHaveLength(1);
      expect(await rejection(harness.hooktape.send(id, { to, sign: { mode: 'fresh', secret: 'x' } }))).toMatchObject({
        status: 400,
        error: expect.stringContaining('cannot_sign:'),
      });
    } finally {
      await destination.stop(true);
    }
    expect(await rejection(harness.hooktape.send(id, { to }))).toMatchObject({ name: 'ApiError', status: 502 });
    expect(await rejection(harness.hooktape.send(id, { listener: 'laptop' }))).toMatchObject({
      status: 502,
      error: expect.stringContaining('no listener of this name'),
    });
    expect((await harness.hooktape.event(id)).replays).toHaveLength(2);
  });
});

describe('requests', () => {
  /** A client whose server gives these answers in turn. */
  const answering = (...answers: (() => Response | Promise<Response>)[]) => {
    const requests: string[] = [];
    const hooktape = new Hooktape({
      url: 'http://hooktape.test',
      key: 'htk_1',
      timeout: '50ms',
      fetch: (url, { method }) => {
        requests.push(`${method} ${url}`);
        return Promise.resolve((answers.shift() ?? (() => Response.json({ endpoints: [] })))());
      },
    });
    return { hooktape, requests };
  };
  const putOff = (status: number, retryAfter?: string) => () =>
    Response.json(
      { error: 'later' },
      { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } },
    );

  test('one that was put off is sent again after the time that the server names', async () => {
    const past = new Date(0).toUTCString();
    const { hooktape, requests } = answering(putOff(429, '0'), putOff(503, '0'), putOff(503, past));
    expect(await hooktape.endpoints.list()).toEqual([]);
    expect(requests).toEqual(Array(4).fill('GET http://hooktape.test/api/endpoints'));
  });

  test('a change is not repeated when the server does not say that it was put off', async () => {
    const { hooktape, requests } = answering(putOff(503));
    expect(await rejection(hooktape.endpoints.create({ name: 'x' }))).toMatchObject({ status: 503, error: 'later' });
    expect(requests).toHaveLength(1);
  });

  test('a wait of more than a minute is left to the caller, and so is the sixth', async () => {
    const long = answering(putOff(429, '61'));
    expect(await rejection(long.hooktape.endpoints.list())).toMatchObject({ status: 429, retryAfterMs: 61_000 });
    const often = answering(...Array.from({ length: 6 }, () => putOff(429, '0')));
    expect(await rejection(often.hooktape.endpoints.list())).toMatchObject({ status: 429 });
    expect(often.requests).toHaveLength(6);
  });

  test('a server that does not answer is an error after the timeout', async () => {
    const silent = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Promise<Response>(() => {}) });
    try {
      const hooktape = new Hooktape({ url: silent.url, key: 'htk_1', timeout: '30ms' });
      const error = await rejection(hooktape.endpoints.list());
      expect(error).toBeInstanceOf(ConnectionError);
      expect(String(error)).toContain('did not answer within 30 ms');
    } finally {
      await silent.stop(true);
    }
    const gone = new Hooktape({ url: silent.url, key: 'htk_1' });
    expect(String(await rejection(gone.endpoints.list()))).toContain('cannot be reached');
  });

  test('a GET whose connection breaks is sent once more, a change is not', async () => {
    const breaks = () => Promise.reject(new TypeError('terminated'));
    const reading = answering(breaks);
    expect(await reading.hooktape.endpoints.list()).toEqual([]);
    const twice = answering(breaks, breaks);
    expect(String(await rejection(twice.hooktape.endpoints.list()))).toContain('cannot be reached (terminated)');
    const changing = answering(breaks);
    expect(await rejection(changing.hooktape.endpoints.create({ name: 'x' }))).toBeInstanceOf(ConnectionError);
    expect([reading, twice, changing].map(({ requests }) => requests.length)).toEqual([2, 2, 1]);
  });

  test('a redirect is not followed, because it would carry the key elsewhere', async () => {
    const { hooktape, requests } = answering(() => Response.redirect('https://elsewhere.test/', 302));
    expect(await rejection(hooktape.endpoints.list())).toMatchObject({
      status: 302,
      error: 'the server redirects to https://elsewhere.test/: give that one as url',
    });
    expect(requests).toHaveLength(1);
  });

  test('an answer that is not JSON is not taken for one', async () => {
    const { hooktape } = answering(() => new Response('<html>'));
    expect(String(await rejection(hooktape.endpoints.list()))).toContain('not the answer of a Hooktape server');
  });

  test('an id cannot leave its place in the path', async () => {
    const { hooktape, requests } = answering();
    await hooktape.endpoints.get('../keys?x#');
    expect(requests).toEqual(['GET http://hooktape.test/api/endpoints/..%2Fkeys%3Fx%23']);
  });

  test('url and key are checked when the client is made', () => {
    expect(() => new Hooktape({ url: 'localhost:4665', key: 'htk_1' })).toThrow('url: "localhost:4665" is not a URL');
    expect(() => new Hooktape({ url: 'http://localhost:4665', key: '' })).toThrow('key: an API key');
  });
});
