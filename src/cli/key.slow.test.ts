import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape } from '../testing/command.ts';

let env: { HOOKTAPE_DATA_DIR: string };
beforeEach(async () => {
  env = { HOOKTAPE_DATA_DIR: mkdtempSync(join(tmpdir(), 'hooktape-test-')) };
  await hooktape(env, 'account', 'create', 'ada@example.com');
});
afterEach(() => rmSync(env.HOOKTAPE_DATA_DIR, { recursive: true }));

const create = (...options: string[]) =>
  hooktape(env, 'key', 'create', 'ci', '--account', 'ada@example.com', ...options);
const list = (...options: string[]) => hooktape(env, 'key', 'list', '--account', 'ada@example.com', ...options);

describe('hooktape key create', () => {
  test('makes a key that neither expires nor is limited to reading', async () => {
    expect((await create()).stdout).toMatch(/^htk_\S{52}\n$/);
    expect(JSON.parse((await list('--json')).stdout)).toMatchObject([{ expiresAt: null, readOnly: false }]);
  });

  test('--expires-in and --read-only apply to the key, and the list shows both', async () => {
    const created = JSON.parse((await create('--expires-in', '90d', '--read-only', '--json')).stdout);
    expect(created).toMatchObject({ expiresAt: created.createdAt + 90 * 86_400_000, readOnly: true });
    expect((await list()).stdout).toContain(`\tread-only\texpires ${new Date(created.expiresAt).toISOString()}\n`);
  });

  test('a duration that cannot be read is refused, and no key is made', async () => {
    const { exitCode, stderr } = await create('--expires-in', 'soon');
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('--expires-in must be a duration, such as 30d or 365d'),
    ]);
    expect((await list()).stdout).toBe('');
  });
});
