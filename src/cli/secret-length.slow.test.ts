import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { createSealer } from '../core/secrets/seal.ts';
import { checkSecret } from '../db/secret-check.ts';
import { hooktape, startServer } from '../testing/command.ts';
import { randomBytes } from '../testing/test-server.ts';

const short = 's'.repeat(31);
const words = 'HOOKTAPE_SECRET: must have at least 32 characters: make one with `openssl rand -hex 32`';
let directory: string;
let dataDir: string;
let env: Record<string, string>;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  dataDir = join(directory, 'data');
  env = { HOOKTAPE_DATA_DIR: dataDir };
});
afterEach(() => rmSync(directory, { recursive: true }));

/** What an installation of version 1.0 looks like that was started with this secret. */
async function madeWith(secret: string): Promise<void> {
  await hooktape({ ...env, HOOKTAPE_SECRET: 'x'.repeat(32) }, 'account', 'create', 'ada@example.com');
  const client = createClient({ url: `file:${join(dataDir, 'hooktape.db')}` });
  await client.executeMultiple("DELETE FROM meta WHERE name = 'secret-check'; DELETE FROM signing_keys");
  await checkSecret(client, createSealer(secret, randomBytes));
  client.close();
}

describe('a short HOOKTAPE_SECRET', () => {
  test.each(['serve', 'account list', 'config'])(
    'is an invalid configuration for a new installation: %s',
    async command => {
      const wrong = { ...env, HOOKTAPE_SECRET: short, HOOKTAPE_PORT: 'none' };
      const { exitCode, stdout, stderr } = await hooktape(wrong, ...command.split(' '));
      expect([exitCode, stdout]).toEqual([78, '']);
      expect(stderr).toContain(words);
      expect(stderr).toContain('HOOKTAPE_PORT');
      expect(stderr).not.toContain(short);
      expect(existsSync(dataDir)).toBe(false);
    },
  );

  test('is also invalid for a database that was created but never used with a secret', async () => {
    await hooktape(env, 'account', 'create', 'a@example.com');
    const client = createClient({ url: `file:${join(dataDir, 'hooktape.db')}` });
    await client.executeMultiple("DELETE FROM meta WHERE name = 'secret-check'; DELETE FROM signing_keys");
    client.close();
    const { exitCode, stderr } = await hooktape({ ...env, HOOKTAPE_SECRET: short }, 'serve');
    expect([exitCode, stderr]).toEqual([78, expect.stringContaining(words)]);
    const long = await hooktape({ ...env, HOOKTAPE_SECRET: `${short}s` }, 'account', 'list');
    expect(long.exitCode).toBe(0);
  });

  test('is accepted with a warning for a database that was created with it', async () => {
    await madeWith('abc');
    const server = await startServer({ ...env, HOOKTAPE_SECRET: 'abc' });
    const { stderr } = await server.stop();
    const warnings = stderr.split('\n').filter(line => line.includes('"warn"'));
    expect(warnings).toEqual([expect.stringContaining('HOOKTAPE_SECRET has fewer than 32 characters')]);
    const list = await hooktape({ ...env, HOOKTAPE_SECRET: 'abc' }, 'account', 'list');
    expect([list.exitCode, list.stderr]).toEqual([0, '']);
  });

  test('can restore a backup that was made with it', async () => {
    await madeWith('abc');
    const old = { ...env, HOOKTAPE_SECRET: 'abc' };
    const copy = join(directory, 'copy.db');
    expect((await hooktape(old, 'backup', copy)).exitCode).toBe(0);
    rmSync(dataDir, { recursive: true });
    const { exitCode, stderr } = await hooktape(old, 'restore', copy);
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  test('is not reported when the secret is long', async () => {
    const server = await startServer({ ...env, HOOKTAPE_SECRET: `${short}s` });
    expect((await server.stop()).stderr).not.toContain('characters');
  });
});

test('a short secret in the data directory is refused with the path of its file', async () => {
  await hooktape(env, 'account', 'create', 'a@example.com');
  rmSync(join(dataDir, 'hooktape.db'));
  writeFileSync(join(dataDir, 'secret'), 'abc\n');
  const { exitCode, stderr } = await hooktape(env, 'account', 'create', 'a@example.com');
  expect([exitCode, stderr]).toEqual([
    78,
    expect.stringContaining(`${join(dataDir, 'secret')}: must have at least 32`),
  ]);
});
