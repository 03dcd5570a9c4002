/* The queries that run every few seconds use indexes. Bun's SQLite is used, because EXPLAIN leaves a read of libSQL open. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import createDatabase from '../../db/new-database.sql' with { type: 'text' };

test.each([
  ['SELECT id FROM alerts WHERE enabled = 1 AND due_at <= 5 ORDER BY due_at LIMIT 10', 'alerts_due (due_at<?)'],
  [
    'UPDATE alerts SET due_at = 1 WHERE enabled = 1 AND endpoint IN (SELECT value FROM json_each(?))',
    'alerts_by_endpoint (endpoint=?)',
  ],
  ['SELECT DISTINCT +endpoint FROM events WHERE seq > 1 AND seq <= 5', 'INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
  ["UPDATE queues SET beats = beats + 1 WHERE holder = 'one'", 'queues_held (holder=?)'],
])('%s', (query, index) => {
  const db = new Database(':memory:');
  for (const statement of createDatabase.split('--> statement-breakpoint')) db.run(statement);
  const plan = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${query}`).all();
  expect(plan[0]?.detail).toEndWith(index);
});
