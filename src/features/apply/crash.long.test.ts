import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape } from '../../testing/command.ts';
import { rowsOf } from '../../testing/events.ts';
import { eventually } from '../../testing/poll.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { openTestServer } from '../../testing/test-server.ts';

const count = 400;
const main = new URL('../../main.ts', import.meta.url).pathname;

test.skipIf(isRemote)(
  'after kill -9 in the middle of an apply all of the file is there or nothing, and the next apply completes it',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
    const env = { HOOKTAPE_SECRET: 'the secret of this test, long enough', HOOKTAPE_DATA_DIR: join(directory, 'data') };
    const file = join(directory, 'endpoints.json');
    const write = (round: number) => {
      const guard = { cidrs: Array.from({ length: 50 }, (_, i) => `10.${round}.${i}.0/24`), onRefuse: 'drop' };
      const endpoints = Array.from({ length: count }, (_, i) => ({ name: `e${i}`, account: 'a@example.com', guard }));
      writeFileSync(file, JSON.stringify({ endpoints }));
    };
    try {
      await hooktape(env, 'account', 'create', 'a@example.com', '--plan', 'pro');
      for (const [round, grown] of [1, 150_000].entries()) {
        write(round);
        const log = join(directory, 'data', 'hooktape.db-wal');
        const size = () => statSync(log, { throwIfNoEntry: false })?.size ?? 0;
        const child = Bun.spawn([process.execPath, main, 'apply', file], {
          env: { PATH: process.env['PATH'] ?? '', ...env },
          stdout: 'ignore',
          stderr: 'ignore',
        });
        await eventually(() => size() > grown || child.exitCode !== null, 20_000);
        child.kill('SIGKILL');
        await child.exited;
        const server = await openTestServer({ directory: join(directory, 'data'), env });
        const applied = await rowsOf(
          server,
          `SELECT count(*), count(DISTINCT guard), count(*) FILTER (WHERE guard LIKE '%10.${round}.%') FROM endpoints`,
        );
        expect(['0,0,0', `${count},1,0`, `${count},1,${count}`]).toContain(String(applied));
        expect(await rowsOf(server, 'SELECT integrity_check FROM pragma_integrity_check')).toEqual([['ok']]);
        await server.close();
      }
      const { stdout } = await hooktape(env, 'apply', file, '--json');
      const { created, changed, unchanged } = JSON.parse(stdout) as Record<string, number>;
      expect((created ?? 0) + (changed ?? 0) + (unchanged ?? 0)).toBe(count);
      expect((await hooktape(env, 'apply', file)).stdout).toBe('no changes\n');
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
  120_000,
);
