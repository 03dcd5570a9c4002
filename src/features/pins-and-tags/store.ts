/*
 * Writes pins and tags, and removes single events. Raw SQL, because Drizzle's INSERT … SELECT takes only plain columns. Ownership is
 * part of every statement that adds something.
 */
import type { Database } from '../../db/database.ts';
import { countPinsSql } from '../../db/event-marks.ts';
import { removalStatements } from '../../db/remove-events.ts';
import { isUniqueViolation } from '../../db/unique-violation.ts';

export type NewPin = { event: number; teamId: string; name: string | null; note: string | null; pinnedAt: number };

export type KeepingStore = ReturnType<typeof createKeepingStore>;

/** ?1 is the event's row number, ?2 the team. */
const ownEvent = `FROM events JOIN endpoints ON endpoints.seq = events.endpoint
  WHERE events.seq = ?1 AND endpoints.team_id = ?2 AND endpoints.deleted_at IS NULL`;
const pinSql = `INSERT INTO pins (event, endpoint, received_at, name, note, pinned_at)
  SELECT events.seq, events.endpoint, events.received_at, ?3, ?4, ?5 ${ownEvent}
    AND (EXISTS (SELECT 1 FROM pins WHERE event = ?1) OR ${countPinsSql('?2')} < ?6)
  ON CONFLICT (event) DO UPDATE SET name = excluded.name, note = excluded.note`;
const untagSql = `DELETE FROM tags WHERE event = (SELECT events.seq ${ownEvent})`;
const tagSql = `INSERT INTO tags (event, tag, position, endpoint, received_at)
  SELECT seq, value, key, endpoint, received_at
  FROM (SELECT events.seq, events.endpoint, events.received_at ${ownEvent}), json_each(?3)`;

export function createKeepingStore({ client, timedBatch }: Pick<Database, 'client' | 'timedBatch'>) {
  return {
    /**
     * Pins the event, or changes name and note of its pin.
     * @returns `taken`: another event of the endpoint has the name; `refused`: the team has `maxPins` pins, or the event no
     * longer exists
     */
    async pin(
      { event, teamId, name, note, pinnedAt }: NewPin,
      maxPins: number,
    ): Promise<'pinned' | 'taken' | 'refused'> {
      try {
        const args = [event, teamId, name, note, pinnedAt, maxPins];
        const { rowsAffected } = await client.execute({ sql: pinSql, args });
        return rowsAffected > 0 ? 'pinned' : 'refused';
      } catch (error) {
        if (isUniqueViolation(error)) return 'taken';
        throw error;
      }
    },

    async unpin(event: number, teamId: string): Promise<void> {
      await client.execute({
        sql: `DELETE FROM pins WHERE event = (SELECT events.seq ${ownEvent})`,
        args: [event, teamId],
      });
    },

    /** Replaces the event's tags. */
    async tag(event: number, teamId: string, tags: readonly string[]): Promise<void> {
      await client.batch(
        [
          { sql: untagSql, args: [event, teamId] },
          { sql: tagSql, args: [event, teamId, JSON.stringify(tags)] },
        ],
        'write',
      );
    },

    /** Removes an event, pinned or not, with all that belongs to it. @returns whether it existed */
    async remove(endpoint: number, event: number): Promise<boolean> {
      const { statements, removalAt } = removalStatements({
        seqs: `[${event}]`,
        endpoints: [endpoint],
        withPinned: true,
      });
      const { results } = await timedBatch(statements);
      return results[removalAt]?.rowsAffected === 1;
    },
  };
}
