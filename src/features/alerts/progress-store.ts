/* The progress of evaluations: the alert clock, the state of each alert, and the last notification of the operator. */
import type { InStatement } from '@libsql/client';
import { and, eq } from 'drizzle-orm';
import { type StorageLevel, storageLevels } from '../../core/alert.ts';
import type { Database } from '../../db/database.ts';
import { meta } from '../../db/schema.ts';
import type { alerts } from '../../db/schema-queues.ts';

const clockName = 'alert-clock';
const storageName = 'storage-alert';
const toBytes = (time: number): Buffer => Buffer.from(String(time));

// If the row is not as expected, both write NULL, which the column does not allow, so the transaction fails.
const moveClockSql = `UPDATE meta SET value = CASE WHEN value = ?1 THEN ?2 END WHERE name = '${clockName}'`;
const saveStateSql = `UPDATE alerts SET state = CASE WHEN state = ?2 AND enabled THEN ?3 END, position = ?4, told = ?5,
  changed_at = ifnull(?6, changed_at) WHERE seq = ?1`;

export const createProgressStore = ({ db, client }: Pick<Database, 'db' | 'client'>) => ({
  /** The alert clock, ms. */
  clock: async (): Promise<number> => {
    const [row] = await db.select({ value: meta.value }).from(meta).where(eq(meta.name, clockName));
    return Number(row?.value ?? 0);
  },

  /** Moves the clock; its transaction fails if the clock is not at `from`. */
  moveClock: (from: number, to: number): InStatement => ({ sql: moveClockSql, args: [toBytes(from), toBytes(to)] }),

  /** Saves the findings; its transaction fails if the alert was changed or disabled since it was read. */
  saveState: (
    { seq, state: before }: Pick<typeof alerts.$inferSelect, 'seq' | 'state'>,
    found: { state: string; position: number; told: boolean; changedAt: number | null },
  ): InStatement => ({
    sql: saveStateSql,
    args: [seq, before, Buffer.from(found.state), found.position, found.told ? 1 : 0, found.changedAt],
  }),

  /** @returns false if another process was first; then nothing is written */
  async write(statements: readonly InStatement[]): Promise<boolean> {
    try {
      await client.batch([...statements], 'write');
      return true;
    } catch (error) {
      if (error instanceof Error && error.message.includes('NOT NULL constraint failed')) return false;
      throw error;
    }
  },

  /** The state of storage in the operator's last notification. */
  storageTold: async (): Promise<StorageLevel> => {
    const [row] = await db.select({ value: meta.value }).from(meta).where(eq(meta.name, storageName));
    const told = row?.value.toString();
    return storageLevels.find(level => level === told) ?? 'ok';
  },

  /** Saves the state that the next notification reports. @returns false if the last one reported another state than `before` */
  async tellStorage(before: StorageLevel, level: StorageLevel): Promise<boolean> {
    const { rowsAffected } = await db
      .update(meta)
      .set({ value: Buffer.from(level) })
      .where(and(eq(meta.name, storageName), eq(meta.value, Buffer.from(before))));
    return rowsAffected === 1;
  },
});
