import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataDirectory } from '../db/files/lock.ts';
import { hooktape } from '../testing/command.ts';
import { listenError } from './listen-errors.ts';

let directory: string;
let dataDir: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  dataDir = join(directory, 'data');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test.each([
  ['EADDRINUSE', /^port 80 of 127\.0\.0\.1 is in use[\s\S]*HOOKTAPE_PORT/],
  ['EACCES', /^no permission to listen on port 80\n[\s\S]*HOOKTAPE_PORT[\s\S]*CAP_NET_BIND_SERVICE/],
  ['EADDRNOTAVAIL', /^127\.0\.0\.1 is not an address of this machine\n[\s\S]*HOOKTAPE_HOST/],
  ['EINVAL', /^cannot listen on HOOKTAPE_HOST 127\.0\.0\.1, HOOKTAPE_PORT 80: its words\n/],
])('%s is reported with what to do', (code, words) => {
  const cause = Object.assign(new Error('its words'), { code });
  expect(listenError({ host: '127.0.0.1', port: 80 }, cause).message).toMatch(words);
});

describe('hooktape serve', () => {
  const serve = async (settings: Record<string, string>): Promise<string> => {
    const { exitCode, stdout, stderr } = await hooktape({ HOOKTAPE_DATA_DIR: dataDir, ...settings }, 'serve');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toStartWith('hooktape: ');
    expect(stderr).not.toContain('    at ');
    return stderr;
  };

  test('reports a port in use, and unlocks the data directory', async () => {
    const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
    const { port } = taken;
    const stderr = await serve({ HOOKTAPE_PORT: String(port) });
    await taken.stop(true);
    expect(stderr).toContain(`port ${port} of 127.0.0.1 is in use`);
    expect(existsSync(join(dataDir, 'hooktape.lock.holder'))).toBe(false);
    await (await lockDataDirectory(dataDir, 'next')).release();
  });

  test.each([
    // Reserved for documentation (RFC 5737), so assigned to no host.
    ['192.0.2.1', 'is not an address of this machine'],
    ['nowhere.invalid', 'HOOKTAPE_HOST nowhere.invalid'],
  ])('reports the host %s, which is not an address of this machine', async (host, words) => {
    for (const port of ['0', '4665'])
      expect(await serve({ HOOKTAPE_HOST: host, HOOKTAPE_PORT: port })).toContain(words);
  });
});
