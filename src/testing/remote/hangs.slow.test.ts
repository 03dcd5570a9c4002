/* A libSQL server that answers nothing for a while, or reads but no writes; and how its settings are noticed. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '../../db/open-database.ts';
import { startServer } from '../command.ts';
import { eventually } from '../poll.ts';
import { borrowThread } from '../pooled-threads.ts';
import { openTestServer, type TestServer } from '../test-server.ts';
import { type LibsqlServer, noLibsqlServer, startLibsqlServer } from './libsql-server.ts';

let libsql: LibsqlServer;
let server: TestServer | undefined;
beforeEach(async () => {
  libsql = await startLibsqlServer();
}, 120_000);
afterEach(async () => {
  libsql.resume();
  await server?.close();
  server = undefined;
  await libsql.remove();
});

/** A server with an endpoint. `send`: delivers once. */
async function open(url: string, overrides = {}) {
  server = await openTestServer({ env: { HOOKTAPE_DATABASE_URL: url }, overrides });
  const owner = await server.createAccount();
  const endpoint = await owner.createEndpoint();
  const address = `${await server.listen()}${new URL(endpoint.url).pathname}`;
  const send = async (body: string): Promise<Response> => fetch(address, { method: 'POST', body });
  return { server, owner, endpoint, send };
}

/** Forwards requests to the libSQL server, and holds requests that change rows while `isHolding`. */
function holdWrites(url: string) {
  const state = { isHolding: false };
  const http = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = await request.text();
      while (state.isHolding && /\b(?:insert|update|delete)\b/i.test(body)) await Bun.sleep(10);
      const { pathname } = new URL(request.url);
      const response = await fetch(url + pathname, {
        method: request.method,
        headers: request.headers,
        ...(body && { body }),
      });
      // It is decompressed already.
      const type = response.headers.get('content-type') ?? '';
      return new Response(await response.bytes(), { status: response.status, headers: { 'content-type': type } });
    },
  });
  return { state, url: `http://127.0.0.1:${http.port}`, stop: () => http.stop(true) };
}

describe.skipIf(noLibsqlServer !== undefined)('a libSQL server', () => {
  test('that hangs: senders get 503 with Retry-After within 5 seconds, also those who come in between', async () => {
    const { owner, endpoint, send } = await open(libsql.url);
    expect((await send('before')).status).toBe(200);
    libsql.pause();
    const timed = async (body: string) => {
      const startedAt = performance.now();
      const { status, headers } = await send(body);
      return { status, retryAfter: headers.get('retry-after'), isInTime: performance.now() - startedAt < 5000 };
    };
    const first = timed('first');
    await eventually(() => server?.services.capture.depth() === 1);
    const results = await Promise.all([first, timed('waits for the first'), timed('waits, too')]);
    results.push(await timed('comes later'));
    for (const result of results) expect(result).toEqual({ status: 503, retryAfter: '5', isInTime: true });
    libsql.resume();
    await eventually(async () => (await send('after')).status === 200);
    const { events } = await owner.json<{ events: { id: string }[] }>(
      200,
      'GET',
      `/api/events?endpointId=${endpoint.id}`,
    );
    // The server may store a refused delivery that it had already received. This one was never sent to it.
    const bodies = await Promise.all(
      events.map(
        async ({ id }) => (await owner.json<{ payloadRaw: string }>(200, 'GET', `/api/events/${id}`)).payloadRaw,
      ),
    );
    expect(bodies).toContain('before');
    expect(bodies).toContain('after');
    expect(bodies.filter(body => body.startsWith('waits'))).toEqual([]);
  }, 120_000);

  test('that answers reads but no writes: /readyz and the log say to restart it', async () => {
    const proxy = holdWrites(libsql.url);
    try {
      const { server, send } = await open(proxy.url, {
        serverLimits: { requestMs: 20_000, captureMs: 200, stallMs: 1000 },
      });
      const text = 'the libSQL server answers reads but no writes: restart it';
      const readyz = async () => {
        const response = await server.fetch('/readyz');
        return { status: response.status, body: (await response.json()) as unknown };
      };
      proxy.state.isHolding = true;
      await eventually(async () => {
        expect((await send('held')).status).toBe(503);
        return server.lines.some(({ message }) => message.includes(text));
      });
      expect(await readyz()).toEqual({ status: 503, body: { error: text } });
      proxy.state.isHolding = false;
      await eventually(async () => (await send('stored')).status === 200);
      await eventually(async () => (await readyz()).status === 200);
      expect(server.lines.filter(({ message }) => message.includes(text))).toHaveLength(1);
    } finally {
      proxy.stop();
    }
  }, 120_000);

  test('that allows several connections is noticed, and one with the documented settings is not', async () => {
    const allowing = await startLibsqlServer({ options: [] });
    const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
    const atOnce = async (url: string): Promise<boolean> => {
      const database = createDatabase({
        url,
        authToken: undefined,
        spawn: borrowThread,
        onBusy: () => {},
        onThreadFailure: () => {},
      });
      const found = await database.runsRequestsAtOnce();
      await database.close();
      return found;
    };
    try {
      expect(await atOnce(libsql.url)).toBe(false);
      // On a busy machine, requests that could run at once may still come one after the other.
      await eventually(() => atOnce(allowing.url));
      const started = await startServer({ HOOKTAPE_DATABASE_URL: allowing.url, HOOKTAPE_DATA_DIR: directory });
      await eventually(async () => (await started.said()).stderr.includes('--max-concurrent-connections 1'));
      await started.stop();
    } finally {
      rmSync(directory, { recursive: true, force: true });
      await allowing.remove();
    }
  }, 120_000);
});
