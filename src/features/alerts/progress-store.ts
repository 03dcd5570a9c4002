/* The progress of evaluations: the alert clock, the state of each alert, and the last notification of the operator. */
import type { InStatement } from '@libsql/client';
import { and, eq } from 'drizzle-orm';
import { type StorageLevel, storageLevels } from '../../core/alert.ts';
import { compareAndSetStatements, writeIfUnchanged } from '../../db/compare-and-set.ts';
import type { Database } from '../../db/database.ts';
import { meta } from '../../db/schema.ts';
import { alerts } from '../../db/schema-queues.ts';
import { toClientStatement } from '../../db/sql-fragments.ts';

const clockName = 'alert-clock';
const storageName = 'storage-alert';
const toBytes = (time: number): Buffer => Buffer.from(String(time));

export const createProgressStore = ({ db, client }: Pick<Database, 'db' | 'client'>) => ({
  /** The alert clock, ms. */
  clock: async (): Promise<number> => {
    const [row] = await db.select({ value: meta.value }).from(meta).where(eq(meta.name, clockName));
    return Number(row?.value ?? 0);
  },

  /** Advances the clock, which must still be at `from`. */
  moveClockStatements: (from: number, to: number): InStatement[] =>
    compareAndSetStatements(
      toClientStatement(
        db
          .update(meta)
          .set({ value: toBytes(to) })
          .where(and(eq(meta.name, clockName), eq(meta.value, toBytes(from)))),
      ),
    ),

  /** Saves the findings of an alert, which must still be enabled and as it was read. @param changedAt null: keeps the time of the last change */
  saveStateStatements: (
    { seq, state: before }: Pick<typeof alerts.$inferSelect, 'seq' | 'state'>,
    { state, position, told, changedAt }: { state: string; position: number; told: boolean; changedAt: number | null },
  ): InStatement[] =>
    compareAndSetStatements(
      toClientStatement(
        db
          .update(alerts)
          .set({ state: Buffer.from(state), position, told, ...(changedAt !== null && { changedAt }) })
          .where(and(eq(alerts.seq, seq), eq(alerts.state, before), eq(alerts.enabled, true))),
      ),
    ),

  /** @returns false, with nothing written, if another process was first or a user has changed one of the alerts */
  write: (statements: readonly InStatement[]): Promise<boolean> => writeIfUnchanged(client, statements),

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
