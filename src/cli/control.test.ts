import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSocketFront } from '../front.ts';
import { hooktape } from '../testing/command.ts';
import { openTestServer } from '../testing/test-server.ts';
import { controlHandler } from './control.ts';
import { operations } from './operations.ts';

let directory: string;
let env: { HOOKTAPE_DATA_DIR: string };
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  env = { HOOKTAPE_DATA_DIR: directory };
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A server on the control socket that does to every connection what it likes. */
async function listenBadly(onRequest: (socket: Socket) => void): Promise<() => void> {
  const server = createServer(socket => socket.once('data', () => onRequest(socket)));
  await new Promise<void>(resolve => server.listen(join(directory, 'hooktape.sock'), resolve));
  return () => server.close();
}

const untouched = (): void => expect(readdirSync(directory)).not.toContain('hooktape.db');

describe('a command while a server runs', () => {
  test('fails when the server dies during it, and is not run again', async () => {
    const close = await listenBadly(socket => socket.destroy());
    const { exitCode, stderr } = await hooktape(env, 'account', 'create', 'a@example.com');
    close();
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/^hooktape: the server did not respond: .*closed.*\.\n$/),
    ]);
    expect(stderr).not.toContain('fetch()');
    untouched();
  });

  test('fails when the server dies during its response', async () => {
    const close = await listenBadly(socket => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n\n\r\n', () => socket.destroy());
    });
    const { exitCode, stderr } = await hooktape(env, 'account', 'list');
    close();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('the server stopped before the command was done')]);
    untouched();
  });

  test('works alone when a dead server has left its socket', async () => {
    writeFileSync(join(directory, 'hooktape.sock'), '');
    expect((await hooktape(env, 'account', 'create', 'a@example.com')).exitCode).toBe(0);
    expect(existsSync(join(directory, 'hooktape.db'))).toBe(true);
  });
});

describe('the server’s side', () => {
  test('runs every operation by its name', async () => {
    const server = await openTestServer();
    const socket = join(server.directory, 'hooktape.sock');
    const front = createSocketFront(controlHandler(server.services), () => {});
    await front.listen(socket);
    const statuses = Object.keys(operations).map(async name => {
      // It knows the operation, and cannot read its arguments.
      const answer = await fetch(`http://hooktape/control/${name}`, { unix: socket, method: 'POST', body: '{' });
      return [name, answer.status] as const;
    });
    expect((await Promise.all(statuses)).filter(([, status]) => status !== 500)).toEqual([]);
    await front.close(1000);
    await server.close();
  });

  test('writes line breaks during a long operation', async () => {
    const server = await openTestServer();
    const socket = join(server.directory, 'hooktape.sock');
    const release = Promise.withResolvers<never[]>();
    const account = { ...server.services.account, list: () => release.promise };
    const front = createSocketFront(controlHandler({ ...server.services, account }, 5), () => {});
    await front.listen(socket);
    const response = await fetch('http://hooktape/control/account.list', { unix: socket, method: 'POST', body: '{}' });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toMatch(/^\n+$/);
    release.resolve([]);
    let rest = '';
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
      rest += Buffer.from(next.value).toString();
    expect(JSON.parse(rest)).toEqual({ result: [] });
    await front.close(1000);
    await server.close();
  });

  test.each([
    ['an internal error is reported without its message', new Error('SELECT secret'), 'see the server log'],
    [
      'a full disk is reported as without a server',
      new Error('SELECT secret', { cause: Object.assign(new Error('no room'), { code: 'SQLITE_FULL' }) }),
      'the disk is full: no room',
    ],
  ])('%s, and is logged', async (_what, error, said) => {
    const server = await openTestServer();
    const socket = join(server.directory, 'hooktape.sock');
    const account = { ...server.services.account, list: () => Promise.reject(error) };
    const front = createSocketFront(controlHandler({ ...server.services, account }), () => {});
    await front.listen(socket);
    const response = await fetch('http://hooktape/control/account.list', { unix: socket, method: 'POST', body: '{}' });
    const text = await response.text();
    expect(text).toContain(said);
    expect(text).not.toContain('SELECT');
    expect(server.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { operation: 'account.list' } },
    ]);
    await front.close(1000);
    await server.close();
  });
});
