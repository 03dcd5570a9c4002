/* Data larger than one response of a libSQL server (10 MB) can be read, searched, exported and imported. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape } from '../command.ts';
import { openTestServer, type TestAccount, type TestServer } from '../test-server.ts';
import { thrownBy } from '../thrown-by.ts';
import { type LibsqlServer, noLibsqlServer, startLibsqlServer } from './libsql-server.ts';

const mebibyte = 1 << 20;
/** Random bytes, which compression does not make smaller. */
const noise = (bytes: number): Buffer => {
  const body = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(body.subarray(at, at + 65_536));
  return body;
};

type Exported = { events: { id: string; payloadRaw: string; receivedAt: number }[] };

describe.skipIf(noLibsqlServer !== undefined)('data larger than one response of a libSQL server', () => {
  let libsql: LibsqlServer;
  let server: TestServer;
  let owner: TestAccount;
  let directory: string;
  const secret = 'the same secret for every process of an installation';
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'hooktape-large-'));
    libsql = await startLibsqlServer();
    server = await openTestServer({
      env: {
        HOOKTAPE_DATABASE_URL: libsql.url,
        HOOKTAPE_SECRET: secret,
        HOOKTAPE_MAX_BODY: `${32 * mebibyte}`,
      },
    });
    owner = await server.createAccount();
  });
  afterAll(async () => {
    await server?.close();
    await libsql?.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  const exportOf = async (id: string): Promise<Exported> =>
    owner.json<Exported>(200, 'GET', `/api/endpoints/${id}/export?format=json`);
  const importInto = (id: string, file: string) =>
    hooktape(
      {
        HOOKTAPE_DATABASE_URL: libsql.url,
        HOOKTAPE_SECRET: secret,
        HOOKTAPE_DATA_DIR: join(directory, 'command'),
      },
      'import',
      file,
      '--endpoint',
      id,
    );

  test('a compressible body of 32 MiB is shown, downloaded, found by text at its end, and exported', async () => {
    const endpoint = await owner.createEndpoint('long');
    const body = Buffer.alloc(32 * mebibyte, 'all work and no play ');
    body.write('the needle', body.length - 10);
    const id = await server.deliver(endpoint, body);
    expect(await owner.json(200, 'GET', `/api/events/${id}`)).toMatchObject({ size: body.length });
    const raw = await owner.call('GET', `/api/events/${id}/raw`);
    expect(Buffer.from(await raw.arrayBuffer()).equals(body)).toBe(true);
    const found = await owner.json<Exported>(200, 'GET', `/api/events?endpointId=${endpoint.id}&q=the%20needle`);
    expect(found.events.map(event => event.id)).toEqual([id]);
    expect((await exportOf(endpoint.id)).events[0]?.payloadRaw.length).toBe(body.length);
  }, 120_000);

  test('large events with the same time are listed, searched, exported, and imported once', async () => {
    const endpoint = await owner.createEndpoint('many');
    const bodies = Array.from({ length: 4 }, () => noise(2.6e6));
    for (const body of bodies) await server.deliver(endpoint, body);
    const secretOf = `/api/endpoints/${endpoint.id}/secrets`;
    // With a secret, listing reads every body of the page to compute its verdict.
    await owner.json(201, 'POST', secretOf, { platform: 'github', secret: 'It is a secret' });
    const listed = await owner.json<Exported>(200, 'GET', `/api/events?endpointId=${endpoint.id}&limit=100`);
    expect(listed.events).toHaveLength(bodies.length);
    const none = await owner.json<Exported>(200, 'GET', `/api/events?endpointId=${endpoint.id}&q=nowhere%20in%20noise`);
    expect(none.events).toEqual([]);

    const file = await exportOf(endpoint.id);
    expect(file.events.map(event => event.payloadRaw)).toEqual(bodies.map(body => body.toString('base64')));
    const receivedAt = file.events[0]?.receivedAt;
    const path = join(directory, 'export.json');
    writeFileSync(path, JSON.stringify({ ...file, events: file.events.map(event => ({ ...event, receivedAt })) }));
    const copy = await owner.createEndpoint('copy');
    const first = await importInto(copy.id, path);
    expect([first.stdout, first.stderr]).toEqual(['4 imported, 0 already present, 0 older than the retention\n', '']);
    const second = await importInto(copy.id, path);
    expect([second.stdout, second.stderr]).toEqual(['0 imported, 4 already present, 0 older than the retention\n', '']);
    expect(await owner.json(200, 'GET', `/api/endpoints/${copy.id}`)).toMatchObject({ eventCount: 4 });
  }, 120_000);

  test('an import reports how many events are larger than the server accepts, and imports the others', async () => {
    const endpoint = await owner.createEndpoint('too large');
    const event = (body: Buffer) => ({
      receivedAt: Date.now(),
      method: 'POST',
      path: '',
      query: null,
      rawHeaders: [],
      payloadRaw: body.toString('base64'),
      payloadEncoding: 'base64',
    });
    const path = join(directory, 'too-large.json');
    const bodies = [Buffer.from('before'), noise(6 * mebibyte), Buffer.from('after')];
    writeFileSync(path, JSON.stringify({ events: bodies.map(event) }));
    const { exitCode, stdout, stderr } = await importInto(endpoint.id, path);
    expect([exitCode, stdout]).toEqual([1, '2 imported, 0 already present, 0 older than the retention\n']);
    expect(stderr).toContain('1 not imported: larger than the database supports');
    expect((await exportOf(endpoint.id)).events.map(one => one.payloadRaw)).toEqual(['before', 'after']);
    expect(await owner.json(200, 'GET', `/api/endpoints/${endpoint.id}`)).toMatchObject({ eventCount: 2 });
  }, 120_000);

  test('when the libSQL server dies during an export, the transfer fails instead of ending early', async () => {
    const endpoint = await owner.createEndpoint('cut');
    for (let n = 0; n < 3; n++) await server.deliver(endpoint, noise(mebibyte));
    const reader = (await owner.call('GET', `/api/endpoints/${endpoint.id}/export`)).body?.getReader();
    await reader?.read();
    await libsql.kill();
    const rest = async () => {
      while (!(await reader?.read())?.done);
    };
    const startedAt = performance.now();
    expect(await thrownBy(rest())).toThrow();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await libsql.start();
    expect((await exportOf(endpoint.id)).events).toHaveLength(3);
  }, 120_000);

  test('when the libSQL server is down, an import reports it and exits with 1', async () => {
    const endpoint = await owner.createEndpoint('away');
    const path = join(directory, 'away.json');
    writeFileSync(path, '{"events":[]}');
    await libsql.kill();
    const startedAt = performance.now();
    const { exitCode, stderr } = await importInto(endpoint.id, path);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/connect|refused/i);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await libsql.start();
    expect((await importInto(endpoint.id, path)).exitCode).toBe(0);
  }, 120_000);
});
