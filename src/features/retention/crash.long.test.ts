import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordMany, rowsOf } from '../../testing/events.ts';
import { eventually } from '../../testing/poll.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { openTestServer } from '../../testing/test-server.ts';

const events = 40_000;
const main = new URL('../../main.ts', import.meta.url).pathname;

test.skipIf(isRemote)(
  'after kill -9 in the middle of a sweep the counters are right, and the next sweep continues',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
    const env = { HOOKTAPE_SECRET: 'the secret of this test, long enough' };
    try {
      let server = await openTestServer({ directory, env });
      const caller = await server.createAccount();
      const { id } = await caller.createEndpoint();
      // Copies of one event; all but the last thousand are expired.
      await recordMany(server, id, 1, { receivedAt: 0, bodyBytes: 1500 });
      await server.services.database.client.batch([
        {
          sql: `INSERT INTO events (nonce, endpoint, received_at, size, encoding, method, source_ip, sha256, path, preview, content)
              SELECT nonce, endpoint, iif(i <= ?, i, ? + i), size, encoding, method, source_ip, sha256, path, preview, content
              FROM events, (WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n)`,
          args: [events - 1000, Date.now(), events],
        },
        'UPDATE endpoints SET event_count = (SELECT count(*) FROM events), last_received_at = (SELECT max(received_at) FROM events)',
      ]);
      await server.close();

      // Each slice makes the log grow by a few pages: at this size some of many have been committed.
      const child = Bun.spawn([process.execPath, main, 'serve'], {
        env: { PATH: process.env['PATH'] ?? '', HOOKTAPE_DATA_DIR: directory, HOOKTAPE_PORT: '0', ...env },
        stdout: 'ignore',
        stderr: 'ignore',
      });
      const log = join(directory, 'hooktape.db-wal');
      await eventually(() => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 500_000, 20_000);
      child.kill('SIGKILL');
      await child.exited;

      server = await openTestServer({ directory, env });
      const counted = async () =>
        (
          await rowsOf(
            server,
            'SELECT event_count = (SELECT count(*) FROM events), event_count, last_received_at = (SELECT max(received_at) FROM events) FROM endpoints',
          )
        )[0];
      const [isTrue, left] = (await counted()) ?? [];
      expect(isTrue).toBe(1);
      expect(Number(left)).toBeLessThan(events);
      expect(Number(left)).toBeGreaterThan(1000);

      server.services.retention.wake();
      await server.services.background.idle();
      expect(await counted()).toEqual([1, 1000, 1]);
      expect(await rowsOf(server, 'SELECT integrity_check FROM pragma_integrity_check')).toEqual([['ok']]);
      await server.close();
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
  120_000,
);
