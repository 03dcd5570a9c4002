/* A server that is killed while it learns has counted each event once when the next one is done. */

import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rowsOf } from '../../testing/events.ts';
import { freePort } from '../../testing/free-port.ts';
import { eventually } from '../../testing/poll.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { storedEvent } from '../../testing/schemas.ts';
import { startServerProcess } from '../../testing/server-process.ts';
import { openTestServer } from '../../testing/test-server.ts';

const events = 6000;
const kills = 3;
const main = new URL('../../main.ts', import.meta.url).pathname;

const positionSql = "SELECT CAST(CAST(value AS TEXT) AS INTEGER) FROM meta WHERE name = 'schemas-read-up-to'";

/** Read beside the server, which is not asked. */
function readUpTo(directory: string): number {
  using database = new Database(join(directory, 'hooktape.db'), { readonly: true });
  return Number(Object.values(database.query<object, []>(positionSql).get() ?? {})[0] ?? 0);
}

test.skipIf(isRemote)(
  'after kill -9 while it learns, no event is missing and none is counted twice',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
    const env = { HOOKTAPE_SECRET: 'the secret of this test, long enough' };
    try {
      let server = await openTestServer({ directory, env });
      const ada = await server.createAccount();
      const { id } = await ada.createEndpoint();
      // With a new property for every event: each slice writes much.
      const body = (n: number): string => JSON.stringify({ n, [`property_${n % 1500}`]: n % 2 ? n : 'text' });
      for (let from = 0; from < events; from += 500)
        await server.services.insertImported(
          Array.from({ length: 500 }, (_, n) => storedEvent(1, { body: body(from + n), type: `t${n % 3}` })),
        );
      await server.close();

      const read: number[] = [];
      for (let kill = 0; kill < kills && read.at(-1) !== events; kill++) {
        const port = await freePort();
        const child = await startServerProcess([process.execPath, main], directory, port, env);
        const origin = `http://127.0.0.1:${port}`;
        // Wakes the learner.
        const headers = { authorization: `Bearer ${ada.key}` };
        void fetch(`${origin}/api/endpoints/${id}/schemas`, { headers }).catch(() => {});
        await eventually(() => readUpTo(directory) > (read.at(-1) ?? 0), 20_000);
        child.kill('SIGKILL');
        await child.exited;
        server = await openTestServer({ directory, env });
        const [[counted, position] = []] = await rowsOf(
          server,
          `SELECT (SELECT ifnull(sum(count), 0) FROM schemas), (${positionSql})`,
        );
        expect(counted).toBe(position as number);
        read.push(Number(position));
        await server.close();
      }
      expect(read.some(position => position > 0 && position < events)).toBe(true);

      server = await openTestServer({ directory, env });
      server.services.schemaLearner.wake();
      await server.services.background.idle();
      expect(await rowsOf(server, 'SELECT sum(count), count(*) FROM schemas')).toEqual([[events, 3]]);
      await server.close();
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
  120_000,
);
