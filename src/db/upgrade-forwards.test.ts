/* The migration that gives forwards a request of their own keeps their settings. */
import { expect, test } from 'bun:test';
import { createClient } from '@libsql/client/sqlite3';
import shapeForwards from '../../migrations/0037_shape_forwards.sql' with { type: 'text' };
import { migrationStatements } from './migrate.ts';
import { migrations } from './migrations.ts';

test('forwards from before keep how they sign, and may sign with a secret of their own', async () => {
  const client = createClient({ url: ':memory:', concurrency: 1 });
  const at = migrations.indexOf(shapeForwards);
  await client.migrate(migrationStatements(migrations, 0, at));
  const insert = (sign: string) =>
    client.execute({
      sql: `INSERT INTO forwards (id, endpoint, name, url, filter, mode, sign, headers, timeout_s, retry, per, enabled, since, position, created_at)
        VALUES (?1, 1, x'61', x'61', x'', 'parallel', ?1, x'', 30, '{}', 'event', 1, 0, 0, 0)`,
      args: [sign],
    });
  await client.execute('PRAGMA foreign_keys = OFF');
  for (const sign of ['as-captured', 'fresh']) await insert(sign);
  await client.migrate(migrationStatements(migrations, at));
  await client.execute('PRAGMA foreign_keys = OFF');
  await insert('own');
  const { rows } = await client.execute('SELECT id, sign, request, secret, failures FROM forwards ORDER BY seq');
  expect(rows.map(row => ({ ...row }) as object)).toEqual(
    ['as-captured', 'fresh', 'own'].map(sign => ({ id: sign, sign, request: null, secret: null, failures: 0 })),
  );
  expect(await insert('other').catch(() => 'refused')).toBe('refused');
  client.close();
});
