import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Client, createClient } from '@libsql/client/sqlite3';
import { migrate } from './migrate.ts';
import { migrations } from './migrations.ts';

let client: Client;
beforeAll(() => {
  client = createClient({ url: ':memory:', concurrency: 1 });
});
afterAll(() => client.close());

test('the upgrade finds the team of each queue, and leaves none where the owner is gone', async () => {
  const noCopy = async () => {};
  await migrate(client, migrations.slice(0, 26), noCopy);
  await client.batch([
    "INSERT INTO teams VALUES ('team_a', 'pro', 0)",
    "INSERT INTO teams VALUES ('team_b', 'pro', 0)",
    "INSERT INTO endpoints (seq, id, team_id, name, token, created_at) VALUES (1, 'ep_a', 'team_a', 'a', 't', 0)",
    "INSERT INTO endpoints (seq, id, team_id, name, token, created_at) VALUES (2, 'ep_b', 'team_b', 'b', 'u', 0)",
    `INSERT INTO forwards (id, endpoint, name, url, filter, mode, sign, headers, timeout_s, retry, per, enabled, since, position, created_at)
       VALUES ('fwd_b', 2, x'', x'', x'', 'parallel', 'as-captured', x'', 30, '{}', 'event', 1, 0, 0, 0)`,
    `INSERT INTO alerts (id, endpoint, name, kind, filter, channel_type, channel, enabled, position, state, created_at)
       VALUES ('alr_a', 1, '', 'silence', x'', 'webhook', x'', 1, 0, x'', 0)`,
    `INSERT INTO replay_jobs (id, team_id, endpoint, account_id, filter, dest, ignored, compared, concurrency, skip_ok, state, bytes, created_at)
       VALUES ('job_a', 'team_a', 1, 'acc', x'', x'', x'', x'', 1, 0, 'running', 0, 0)`,
    `INSERT INTO queues (kind, owner)
       VALUES ('forward', 'fwd_b'), ('alert', 'alr_a'), ('replay', 'job_a'), ('forward', 'fwd_gone')`,
  ]);
  await migrate(client, migrations, noCopy);
  const { rows } = await client.execute('SELECT owner, team_id FROM queues ORDER BY seq');
  expect(rows.map(row => [row['owner'], row['team_id']])).toEqual([
    ['fwd_b', 'team_b'],
    ['alr_a', 'team_a'],
    ['job_a', 'team_a'],
    ['fwd_gone', null],
  ]);
});
