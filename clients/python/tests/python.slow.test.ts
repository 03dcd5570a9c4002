/* The client for Python: its own tests, and its feed while connections break and the server restarts. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestServer } from '../../../src/testing/test-server.ts';
import { type Harness, openHarness, openUnreliableProxy } from '../../typescript/test/harness.ts';

const python = Bun.which('python3') ?? '';
const env = { ...process.env, PYTHONPATH: join(import.meta.dir, '../src'), PYTHONDONTWRITEBYTECODE: '1' };

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

test.skipIf(!python)('its tests pass', async () => {
  const child = Bun.spawn([python, '-m', 'unittest', 'discover', '--start-directory', import.meta.dir], {
    env: { ...env, HOOKTAPE_TEST_URL: harness.origin, HOOKTAPE_TEST_KEY: harness.account.key },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const report = await child.stderr.text();
  expect(await child.exited, report).toBe(0);
  expect(report).toMatch(/^Ran [1-9]\d* tests[\s\S]*\nOK\n$/m);
});

type Reading = { server: { origin: string; key: string }; endpoint: string; count: number };

/** Reads a feed in a process of its own. `onId` is called with the number of ids so far. */
async function readFeed({ server, endpoint, count }: Reading, onId: (count: number) => void = () => {}) {
  const args = [server.origin, server.key, endpoint, String(count)];
  const child = Bun.spawn([python, join(import.meta.dir, 'read_feed.py'), ...args], {
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const errors = child.stderr.text();
  const ids: string[] = [];
  let rest = '';
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onId(ids.push(line));
  }
  expect(await child.exited, await errors).toBe(0);
  return { ids, reconnects: (await errors).split('\n').filter(Boolean) };
}

test.skipIf(!python)('its feed loses and doubles nothing while connections break at any byte', async () => {
  const endpoint = await harness.hooktape.endpoints.create({ name: 'breaking' });
  const port = Number(new URL(harness.origin).port);
  let connections = 0;
  // Two of three connections break, at bytes that walk through head and body of the answer.
  const proxy = await openUnreliableProxy(
    () => port,
    () => (++connections % 3 === 0 ? Number.POSITIVE_INFINITY : (connections * 997) % 20_000),
  );
  try {
    const server = { origin: proxy.origin, key: harness.account.key };
    const reading = readFeed({ server, endpoint: endpoint.id, count: 300 });
    const sent: string[] = [];
    while (sent.length < 300) {
      const burst = Array.from({ length: 30 }, () => harness.deliver(endpoint, { text: 'x'.repeat(200) }));
      sent.push(...(await Promise.all(burst)));
    }
    const { ids, reconnects } = await reading;
    expect(ids.toSorted()).toEqual(sent.toSorted());
    expect(proxy.broken()).toBeGreaterThan(0);
    expect(new Set(reconnects)).toEqual(new Set(['reconnect UnreachableError']));
  } finally {
    proxy.close();
  }
});

test.skipIf(!python)('its feed goes on after a restart of the server', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  try {
    let server = await openTestServer({ directory });
    const account = await server.createAccount();
    const origin = await server.listen();
    const endpoint = (await account.createEndpoint()) as { id: string; url: string };
    const sent = [await server.deliver(endpoint), await server.deliver(endpoint)];
    const readTwo = Promise.withResolvers<void>();
    const reading = readFeed({ server: { origin, key: account.key }, endpoint: endpoint.id, count: 4 }, count => {
      if (count === 2) readTwo.resolve();
    });
    await readTwo.promise;
    await server.close();
    server = await openTestServer({ directory, port: Number(new URL(origin).port) });
    await server.listen();
    sent.push(await server.deliver(endpoint), await server.deliver(endpoint));
    expect((await reading).ids).toEqual(sent);
    await server.close();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
