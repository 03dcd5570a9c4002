/* What the processes on a shared database tell each other: which events are new, and that access may have ended. */
import { eq, max, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { events, meta } from '../../db/schema.ts';
import { alertChanges } from '../../db/schema-queues.ts';
import type { Look } from './hub.ts';

const accessMark = 'access-ended';

export function createNotificationsStore(db: Drizzle) {
  const look: Look = async () => {
    const mark = db
      .select({ value: sql<string>`hex(${meta.value})` })
      .from(meta)
      .where(eq(meta.name, accessMark));
    const change = db.select({ newest: max(alertChanges.seq) }).from(alertChanges);
    const columns = {
      event: max(events.seq),
      change: sql<number | null>`${change}`,
      mark: sql<string | null>`${mark}`,
    };
    const [found] = await db.select(columns).from(events);
    return { newest: `${found?.event} ${found?.change}`, accessMark: found?.mark ?? '' };
  };
  return {
    look,
    /** Lets the other processes check all access again. */
    async markAccessEnded(): Promise<void> {
      const value = sql`randomblob(8)`;
      await db
        .insert(meta)
        .values({ name: accessMark, value })
        .onConflictDoUpdate({ target: meta.name, set: { value } });
    },
  };
}
