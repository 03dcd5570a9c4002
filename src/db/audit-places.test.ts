import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Client, createClient } from '@libsql/client/sqlite3';
import { migrate } from './migrate.ts';
import { migrations } from './migrations.ts';

let client: Client;
beforeAll(() => {
  client = createClient({ url: ':memory:', concurrency: 1 });
});
afterAll(() => client.close());

test('the upgrade finds the endpoint of earlier entries of the audit log, and the names of what is still there', async () => {
  const noCopy = async () => {};
  await migrate(client, migrations.slice(0, 30), noCopy);
  const entry = (type: string, id: string): string =>
    `INSERT INTO audit (id, at, via, action, target_type, target_id) VALUES ('', 0, 'api', '${type}.changed', '${type}', '${id}')`;
  await client.batch([
    "INSERT INTO teams (id, plan, created_at) VALUES ('team_a', 'pro', 0)",
    "INSERT INTO endpoints (seq, id, team_id, name, token, created_at) VALUES (1, 'ep_a', 'team_a', 'a', 't', 0)",
    `INSERT INTO forwards (id, endpoint, name, url, filter, mode, sign, headers, timeout_s, retry, per, enabled, since, position, created_at)
       VALUES ('fwd_a', 1, CAST('wärehouse' AS BLOB), x'', x'', 'parallel', 'as-captured', x'', 30, '{}', 'event', 1, 0, 0, 0)`,
    `INSERT INTO alerts (id, endpoint, name, kind, filter, channel_type, channel, enabled, position, state, created_at)
       VALUES ('alr_a', 1, 'silent', 'silence', x'', 'webhook', x'', 1, 0, x'', 0)`,
    "INSERT INTO secrets (id, endpoint, platform, sealed, last4, created_at) VALUES ('sec_a', 1, 'stripe', x'', '', 0), ('sec_b', 1, NULL, x'', '', 0)",
    entry('endpoint', 'ep_a'),
    entry('forward', 'fwd_a'),
    entry('alert', 'alr_a'),
    entry('secret', 'sec_a'),
    entry('secret', 'sec_b'),
    entry('forward', 'fwd_gone'),
    entry('key', 'key_a'),
  ]);
  await migrate(client, migrations, noCopy);
  const { rows } = await client.execute(
    "SELECT target_id, endpoint_id, details ->> 'name' AS name FROM audit ORDER BY seq",
  );
  expect(rows.map(row => [row['target_id'], row['endpoint_id'], row['name']])).toEqual([
    ['ep_a', 'ep_a', null],
    ['fwd_a', 'ep_a', 'wärehouse'],
    ['alr_a', 'ep_a', 'silent'],
    ['sec_a', 'ep_a', 'stripe'],
    ['sec_b', 'ep_a', null],
    ['fwd_gone', null, null],
    ['key_a', null, null],
  ]);
});
