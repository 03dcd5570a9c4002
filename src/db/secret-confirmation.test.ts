import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Client, createClient } from '@libsql/client/sqlite3';
import { migrate } from './migrate.ts';
import { migrations } from './migrations.ts';

let client: Client;
beforeAll(() => {
  client = createClient({ url: ':memory:', concurrency: 1 });
});
afterAll(() => client.close());

test('the upgrade marks secrets that 1.0.0 may have learned from a handshake as unconfirmed, and others as confirmed', async () => {
  const noCopy = async () => {};
  await migrate(client, migrations.slice(0, 3), noCopy);
  await client.execute("INSERT INTO teams VALUES ('team_a', 'pro', 0)");
  await client.execute(
    "INSERT INTO endpoints (seq, id, team_id, name, token, created_at) VALUES (1, 'ep_a', 'team_a', 'a', 't', 0)",
  );
  for (const platform of ['asana', 'notion', 'stripe', null])
    await client.execute({
      sql: "INSERT INTO secrets (id, endpoint, platform, sealed, last4, created_at) VALUES (?, 1, ?, x'00', '', 0)",
      args: [`sec_${platform}`, platform],
    });
  await migrate(client, migrations, noCopy);
  const { rows } = await client.execute('SELECT platform, confirmed, learned FROM secrets ORDER BY id');
  expect(rows.map(row => [row['platform'], row['confirmed'], row['learned']])).toEqual([
    ['asana', 0, 0],
    ['notion', 0, 0],
    [null, 1, 0],
    ['stripe', 1, 0],
  ]);
});
