/* Forwards work on a server that no API request has reached, although the code of requests is loaded for the first request. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape, startServer } from '../testing/command.ts';
import { createDestinations } from '../testing/destinations.ts';
import { eventually } from '../testing/poll.ts';

const account = 'ada@example.com';
let directory: string;
let file: string;
let env: Record<string, string>;
const { destination, closeDestinations } = createDestinations();
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  file = join(directory, 'endpoints.json');
  env = {
    HOOKTAPE_DATA_DIR: join(directory, 'data'),
    HOOKTAPE_FIXED_ADDRESSES: 'on',
    HOOKTAPE_OWNER_EMAIL: account,
    HOOKTAPE_OWNER_PASSWORD: 'a good long password',
    HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8',
  };
});
afterEach(async () => {
  await closeDestinations();
  rmSync(directory, { recursive: true, force: true });
});

const ok = () => new Response('ok');
const declare = (url: string): void =>
  writeFileSync(
    file,
    JSON.stringify({ endpoints: [{ name: 'orders', account, address: 'orders', forwards: [{ name: 'one', url }] }] }),
  );
const deliver = async (origin: string, body: string): Promise<void> => {
  const response = await fetch(`${origin}/in/orders`, { method: 'POST', body });
  expect(response.status).toBe(200);
};

test('a forward of the declared file, at the start that creates it and at the next one', async () => {
  const { url, received } = destination(ok);
  declare(url);
  for (const body of ['first', 'second']) {
    const server = await startServer({ ...env, HOOKTAPE_ENDPOINTS_FILE: file });
    await server.said();
    await deliver(server.origin, body);
    await eventually(() => received.at(-1)?.body === body);
    expect((await server.stop()).exitCode).toBe(0);
  }
  // A server that stops before it has read the response sends the event again at the next start.
  expect([...new Set(received.map(({ body }) => body))]).toEqual(['first', 'second']);
});

test('a forward that a command creates while the server runs', async () => {
  const { url, received } = destination(ok);
  const server = await startServer(env);
  await server.said();
  declare(url);
  expect(await hooktape(env, 'apply', file)).toMatchObject({ exitCode: 0, stderr: '' });
  await deliver(server.origin, 'first');
  await eventually(() => received.length === 1);
  expect((await server.stop()).exitCode).toBe(0);
});

test('events that a server without the forward’s destination left in the queue', async () => {
  const { url, received } = destination(() => new Response('later', { status: 503, headers: { 'retry-after': '1' } }));
  declare(url);
  const first = await startServer({ ...env, HOOKTAPE_ENDPOINTS_FILE: file });
  await first.said();
  await deliver(first.origin, 'kept');
  await eventually(() => received.length > 0);
  await first.stop();
  const tried = received.length;
  const second = await startServer(env);
  await eventually(() => received.length > tried, 20_000);
  expect((await second.stop()).exitCode).toBe(0);
});
