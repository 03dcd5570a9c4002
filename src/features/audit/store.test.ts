/* The list of the audit log is read in order. Bun's SQLite is used, because EXPLAIN leaves a read of libSQL open. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { drizzle } from 'drizzle-orm/libsql';
import type { Drizzle } from '../../db/database.ts';
import createDatabase from '../../db/new-database.sql' with { type: 'text' };
import { createAuditStore } from './store.ts';

test.each([{}, { before: 9 }, { person: 'operator' }, { thing: 'forward' }, { from: 1, to: 2 }])(
  'a page of %j is read from the index and not sorted',
  filter => {
    const drizzled = drizzle({ connection: ':memory:' }) as unknown as Drizzle;
    const { sql, params } = createAuditStore(drizzled, drizzled)
      .page('team', { before: undefined, limit: 51, ...filter })
      .toSQL();
    const db = new Database(':memory:');
    for (const statement of createDatabase.split('--> statement-breakpoint')) db.run(statement);
    const plan = db
      .query<{ detail: string }, (string | number)[]>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...(params as (string | number)[]));
    const steps = plan.map(({ detail }) => detail);
    expect(steps.filter(step => step.includes('audit_by_team (team_id=?'))).toHaveLength(2);
    expect(steps.join()).not.toContain('TEMP B-TREE');
  },
);
