/* `hooktape erase` and `hooktape redact`, while a server runs and without one. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape, hooktapeWithInput, startServer } from '../testing/command.ts';

const account = ['--account', 'ada@example.com'];
const text = 'grace.hopper@example.org';

let env: { HOOKTAPE_DATA_DIR: string };
let server: Awaited<ReturnType<typeof startServer>>;
let api: (method: string, path: string, body?: object) => Promise<Response>;
let endpoint: { id: string; url: string };

beforeAll(async () => {
  env = { HOOKTAPE_DATA_DIR: mkdtempSync(join(tmpdir(), 'hooktape-test-')) };
  await hooktape(env, 'account', 'create', 'ada@example.com', '--plan', 'pro');
  const key = (await hooktape(env, 'key', 'create', 'ci', ...account)).stdout.trim();
  server = await startServer(env);
  api = async (method, path, body) =>
    fetch(server.origin + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
});
beforeEach(async () => {
  endpoint = (await (await api('POST', '/api/endpoints', { name: 'orders' })).json()) as typeof endpoint;
});
afterAll(async () => {
  await server.stop();
  rmSync(env.HOOKTAPE_DATA_DIR, { recursive: true });
});

const deliver = async (...emails: string[]): Promise<void> => {
  const path = new URL(endpoint.url).pathname;
  for (const email of emails)
    expect((await fetch(server.origin + path, { method: 'POST', body: JSON.stringify({ email }) })).status).toBe(200);
};
const bodies = async (): Promise<string[]> => {
  const list = (await (await api('GET', `/api/events?endpointId=${endpoint.id}`)).json()) as {
    events: { id: string }[];
  };
  return Promise.all(list.events.map(async ({ id }) => (await api('GET', `/api/events/${id}/raw`)).text()));
};

describe('hooktape erase', () => {
  test('--dry-run counts, and the same without it deletes the events that have the text', async () => {
    await deliver(text, 'other@example.org', text);
    const row = `${endpoint.id}\torders\t2\t0\n`;
    const dry = await hooktape(env, 'erase', text, ...account, '--dry-run');
    expect(dry).toEqual({ exitCode: 0, stdout: row, stderr: '2 events would be deleted.\n' });
    expect(await bodies()).toHaveLength(3);

    const done = await hooktape(env, 'erase', text, ...account);
    expect(done).toEqual({ exitCode: 0, stdout: row, stderr: 'Deleted 2 events.\n' });
    expect(await bodies()).toEqual(['{"email":"other@example.org"}']);
  });

  test('- reads the text from standard input, and --json prints the erasure', async () => {
    await deliver(text);
    const { exitCode, stdout } = await hooktapeWithInput(`${text}\r\n`, env, 'erase', '-', ...account, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'done', dryRun: false, events: 1 });
    expect(await bodies()).toEqual([]);
  });

  test.each([
    ['--account EMAIL is missing', 2, ['erase', text]],
    ['TEXT|- is missing', 2, ['erase', ...account]],
    ['the text must have 8 to 200 characters', 1, ['erase', 'ab', ...account]],
    ['nobody@example.com', 1, ['erase', text, '--account', 'nobody@example.com']],
  ])('says "%s"', async (message, exitCode, args) => {
    const ended = await hooktape(env, ...args);
    expect(ended).toEqual({ exitCode, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('works without a running server', async () => {
    await deliver(text);
    await server.stop();
    expect(await hooktape(env, 'erase', text, ...account)).toMatchObject({ exitCode: 0, stderr: 'Deleted 1 event.\n' });
    server = await startServer(env);
    expect(await bodies()).toEqual([]);
  });
});

describe('hooktape redact', () => {
  test('applies the rules of the endpoint to the stored events that match', async () => {
    await deliver(text, 'other@example.org');
    const rules = [{ in: 'body', path: 'email', with: 'remove' }];
    expect((await api('PUT', `/api/endpoints/${endpoint.id}/redaction`, { rules })).status).toBe(200);
    const where = ['--where', `body.email:${text}`];
    const dry = await hooktape(env, 'redact', endpoint.id, ...where, '--dry-run');
    expect(dry).toEqual({ exitCode: 0, stdout: '1 event, 1 would be changed\n', stderr: '' });
    const done = await hooktape(env, 'redact', endpoint.id, ...where, '--json');
    expect([done.exitCode, JSON.parse(done.stdout)]).toEqual([0, { events: 1, changed: 1 }]);
    expect((await bodies()).sort()).toEqual(['{"email":"other@example.org"}', '{}']);
  });

  test.each([
    ['--where W is missing', ['redact', 'ep_1']],
    ['ENDPOINT is missing', ['redact', '--where', 'type:a']],
  ])('says "%s"', async (message, args) => {
    expect(await hooktape(env, ...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  });
});
