import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape, startServer } from '../testing/command.ts';

let directory: string;
let env: { HOOKTAPE_DATA_DIR: string };
let server: Awaited<ReturnType<typeof startServer>>;
let key: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  env = { HOOKTAPE_DATA_DIR: join(directory, 'data') };
  server = await startServer(env);
  await run('account', 'create', 'owner@example.com', '--plan', 'pro');
  key = (await run('key', 'create', 'test', '--account', 'owner@example.com')).trim();
});
afterEach(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

type Event = { id: string; receivedAt: number } & Record<string, unknown>;

async function run(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await hooktape(env, ...args);
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${exitCode} ${stderr}`);
  return stdout;
}
const call = (target: string, body?: unknown) =>
  fetch(`${server.origin}${target}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
const createEndpoint = async () =>
  (await (await call('/api/endpoints', { name: 'inbox' })).json()) as { id: string; url: string };
const exported = async (id: string, format = 'json') =>
  (await call(`/api/endpoints/${id}/export?format=${format}`)).text();
const eventsOf = async (id: string): Promise<Event[]> =>
  (JSON.parse(await exported(id)) as { events: Event[] }).events.map(event => ({ ...event, id: '' }));
const importInto = async (id: string, text: string) => {
  const file = join(directory, 'file');
  writeFileSync(file, text);
  return JSON.parse(await run('import', file, '--endpoint', id, '--json')) as Record<string, number>;
};

/** Sends deliveries of every kind. */
async function deliverSamples(url: string): Promise<void> {
  const address = url.replace(/^https?:\/\/[^/]+/, server.origin);
  const post = async (suffix: string, body: string | Uint8Array, headers: Record<string, string> = {}) => {
    const response = await fetch(`${address}${suffix}`, { method: 'POST', body: body as string, headers });
    expect(response.status).toBe(200);
  };
  await post('', '{"a":"\\u00e9/\\n"}', { 'content-type': 'application/json' });
  await post('/deep/%2e%2e/x[]?a=1&a=%zz', '\u0000\u2028😀"\\', { 'x-latin': 'caf\xe9', cookie: 's=1' });
  await post(
    '?',
    Uint8Array.from({ length: 256 }, (_, i) => i),
  );
  await post('', '');
  await fetch(address);
}

describe('hooktape import', () => {
  test.each(['json', 'har', 'ndjson'])(
    '%s: an imported export has the same events, and importing it again adds none',
    async format => {
      const from = await createEndpoint();
      const to = await createEndpoint();
      await deliverSamples(from.url);
      const file = await exported(from.id, format);
      expect(await importInto(to.id, file)).toMatchObject({ imported: 5, alreadyThere: 0, expired: 0 });
      const events = await eventsOf(from.id);
      expect(events).toHaveLength(5);
      expect(await eventsOf(to.id)).toEqual(events);
      expect(await importInto(to.id, file)).toMatchObject({ imported: 0, alreadyThere: 5 });
      expect(await importInto(from.id, file)).toMatchObject({ imported: 0, alreadyThere: 5 });
      expect(await eventsOf(to.id)).toEqual(events);
      const shown = (await (await call(`/api/endpoints/${to.id}`)).json()) as Record<string, unknown>;
      expect(shown).toMatchObject({
        eventCount: 5,
        lastReceivedAt: Math.max(...events.map(event => event.receivedAt)),
      });
    },
  );

  test('works without a running server', async () => {
    const from = await createEndpoint();
    const to = await createEndpoint();
    await deliverSamples(from.url);
    const file = await exported(from.id);
    await server.stop();
    expect(await importInto(to.id, file)).toMatchObject({ imported: 5 });
    server = await startServer(env);
    expect(await eventsOf(to.id)).toEqual(await eventsOf(from.id));
  });

  test('identical events with the same time are imported as often as the file has them, also after a partial import', async () => {
    const { id, url } = await createEndpoint();
    await deliverSamples(url);
    const [event] = await eventsOf(id);
    const to = await createEndpoint();
    const fileOf = (count: number) => JSON.stringify({ events: new Array(count).fill(event) });
    expect(await importInto(to.id, fileOf(3))).toMatchObject({ imported: 3, alreadyThere: 0 });
    expect(await importInto(to.id, fileOf(1200))).toMatchObject({ imported: 1197, alreadyThere: 3 });
    expect(await importInto(to.id, fileOf(1200))).toMatchObject({ imported: 0, alreadyThere: 1200 });
  });

  test('events past the retention window are skipped and counted', async () => {
    const { id, url } = await createEndpoint();
    await deliverSamples(url);
    const [event] = await eventsOf(id);
    const to = await createEndpoint();
    const old = { ...event, receivedAt: Date.now() - 91 * 86_400_000 };
    const file = join(directory, 'old');
    writeFileSync(file, JSON.stringify({ events: [old, event] }));
    expect(await run('import', file, '--endpoint', to.id)).toBe(
      '1 imported, 0 already present, 1 older than the retention\n',
    );
  });

  test('the complete events of a truncated file are imported, and the error has the position', async () => {
    const from = await createEndpoint();
    const to = await createEndpoint();
    await deliverSamples(from.url);
    const text = await exported(from.id);
    const file = join(directory, 'cut');
    const cut = Buffer.from(text).subarray(0, -200);
    writeFileSync(file, cut);
    const { exitCode, stdout, stderr } = await hooktape(env, 'import', file, '--endpoint', to.id);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`byte ${cut.length}: the file is truncated; 4 events imported before it`);
    expect(await importInto(to.id, text)).toMatchObject({ imported: 1, alreadyThere: 4 });
  });

  test('the line of an NDJSON export that lists damaged events is skipped', async () => {
    const from = await createEndpoint();
    const to = await createEndpoint();
    await deliverSamples(from.url);
    const text = `${await exported(from.id, 'ndjson')}{"damaged":{"count":1,"ids":["evt_1"]}}\n`;
    expect(await importInto(to.id, text)).toMatchObject({ imported: 5 });
  });

  test('an invalid event is reported with its number and position', async () => {
    const from = await createEndpoint();
    const to = await createEndpoint();
    await deliverSamples(from.url);
    const [first, second] = await eventsOf(from.id);
    const file = join(directory, 'wrong');
    writeFileSync(file, JSON.stringify({ events: [first, { ...second, payloadRaw: 'altered' }] }));
    const { exitCode, stderr } = await hooktape(env, 'import', file, '--endpoint', to.id);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/event 2, at byte \d+: payloadRaw does not match sha256; 1 event imported before it/);
    expect(await eventsOf(to.id)).toHaveLength(1);
  });

  test('an unknown endpoint, a missing file or a directory exits with 1, a missing --endpoint with 2', async () => {
    const file = join(directory, 'some');
    writeFileSync(file, '{"events":[]}');
    const unknown = await hooktape(env, 'import', file, '--endpoint', 'ep_none');
    expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('endpoint not found')]);
    for (const wrong of [join(directory, 'missing'), directory])
      expect((await hooktape(env, 'import', wrong, '--endpoint', 'ep_none')).exitCode).toBe(1);
    expect((await hooktape(env, 'import', file)).exitCode).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('{"events":[]}');
  });
});
