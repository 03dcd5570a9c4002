import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client/sqlite3';
import { migrate } from '../../db/migrate.ts';
import { migrations } from '../../db/migrations.ts';
import { createOldIndexStore } from './old-index-store.ts';

let directory: string;
let client: Client;
const open = (): Client => createClient({ url: `file:${join(directory, 'hooktape.db')}`, concurrency: 1 });
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  client = open();
});
afterEach(() => {
  client.close();
  rmSync(directory, { recursive: true });
});

/** A database of 1.0 with indexed events, upgraded. */
async function upgrade(): Promise<void> {
  await migrate(client, migrations.slice(0, 5), async () => {});
  await client.batch(
    [
      "INSERT INTO teams VALUES ('t', 'pro', 0)",
      "INSERT INTO endpoints (id, team_id, name, token, created_at, last_received_at) VALUES ('e', 't', 'n', 'k', 0, 1000)",
    ],
    'write',
  );
  for (let first = 1; first <= 200; first += 10)
    await client.batch(
      Array.from({ length: 10 }, (_, i) => first + i).flatMap(seq => [
        {
          sql: `INSERT INTO events (seq, nonce, endpoint, received_at, size, encoding, method, source_ip, sha256, path, preview, content)
                VALUES (?, x'', 1, ?, 0, 0, 'POST', '', x'', x'', x'', x'')`,
          args: [seq, 900 - seq],
        },
        {
          sql: 'INSERT INTO events_search (rowid, trigrams) VALUES (?, ?)',
          args: [seq, Buffer.from(crypto.getRandomValues(new Uint8Array(2000))).toString('hex')],
        },
      ]),
      'write',
    );
  client.close();
  client = open();
  await migrate(client, migrations, async () => {});
}

test('the index of 1.0 is removed row by row, then dropped, and events can be deleted in the meantime', async () => {
  await upgrade();
  const store = createOldIndexStore(client);
  expect(await store.exists()).toBe(true);
  const left = async (): Promise<number> =>
    Number((await client.execute('SELECT count(*) FROM events_search_data')).rows[0]?.[0]);
  let slices = 0;
  for (let before = await left(); await store.removeSome(); slices++) {
    const now = await left();
    expect(before - now).toBeLessThanOrEqual(32);
    before = now;
    await client.execute({ sql: 'DELETE FROM events WHERE seq = ?', args: [slices + 1] });
  }
  expect(slices).toBeGreaterThan(5);
  await store.drop();
  expect(await store.exists()).toBe(false);
  const { rows } = await client.execute("SELECT name FROM sqlite_master WHERE name LIKE '%search%'");
  expect(rows).toEqual([]);
});

test('an upgrade records the newest row without a signature; a new database has none', async () => {
  const noted = async () =>
    (await client.execute("SELECT name, CAST(value AS TEXT) FROM meta WHERE name LIKE 'rows-to-pack-%'")).rows.map(
      row => [row[0], row[1]],
    );
  await migrate(client, migrations, async () => {});
  expect(await noted()).toEqual([]);
  client.close();
  rmSync(join(directory, 'hooktape.db'));
  client = open();
  await upgrade();
  expect(await noted()).toEqual([['rows-to-pack-newest', '1000']]);
});
