/* Whether there is anything to forward, to replay, to send or to check: most new installations have nothing. */
import { sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';

export async function hasScheduledWork(db: Drizzle): Promise<boolean> {
  const rows = await db.all<{
    found: number;
  }>(sql`SELECT EXISTS (SELECT 1 FROM queues) OR EXISTS (SELECT 1 FROM replay_jobs)
    OR EXISTS (SELECT 1 FROM forwards) OR EXISTS (SELECT 1 FROM alerts) OR EXISTS (SELECT 1 FROM mcp_subscriptions) AS found`);
  return rows[0]?.found === 1;
}
