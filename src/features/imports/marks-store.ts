/* Gives imported events their pins and tags. Raw SQL, because Drizzle's INSERT … SELECT takes only plain columns. */
import type { Client, InStatement } from '@libsql/client';
import type { ImportedEvent } from '../../core/events/exported-event.ts';
import { countPinsSql } from '../../db/event-marks.ts';
import type { EventKey, TargetEndpoint } from './store.ts';

/** The pin and the tags of a stored event in the file. */
export type ImportedMarks = EventKey & Pick<ImportedEvent, 'pin' | 'tags'>;

export type MarksStore = ReturnType<typeof createMarksStore>;

const isEvent = 'endpoint = ?1 AND received_at = ?2 AND nonce = ?3';
const insertPin = `INSERT INTO pins (event, endpoint, received_at, name, note, pinned_at)
  SELECT seq, endpoint, received_at, CASE WHEN EXISTS (SELECT 1 FROM pins WHERE endpoint = ?1 AND name = ?4) THEN NULL ELSE ?4 END, ?5, ?6
  FROM events WHERE ${isEvent} AND ${countPinsSql('?7')} < ?8
  ON CONFLICT (event) DO NOTHING`;
const insertTags = `INSERT INTO tags (event, tag, position, endpoint, received_at)
  SELECT seq, value, key, endpoint, received_at
  FROM (SELECT seq, endpoint, received_at FROM events WHERE ${isEvent} AND NOT EXISTS (SELECT 1 FROM tags WHERE event = seq)),
    json_each(?4)`;

export function createMarksStore(client: Pick<Client, 'batch' | 'execute'>) {
  return {
    /** How many events the team has pinned. */
    async countPins(teamId: string): Promise<number> {
      const { rows } = await client.execute({ sql: `SELECT ${countPinsSql('?1')}`, args: [teamId] });
      return Number(rows[0]?.[0]);
    },

    /**
     * Marks events of the endpoint, in one transaction. Existing pins and tags stay. A name that another event of the endpoint
     * has is left out, and so are pins beyond `maxPins` of the team.
     * @returns for each event whether it exists
     */
    async mark(
      { seq: endpoint, teamId }: TargetEndpoint,
      marks: readonly ImportedMarks[],
      maxPins: number,
    ): Promise<boolean[]> {
      const statements: InStatement[] = [];
      /** For each event, the position of the statement whose count shows that it exists. */
      const counts = marks.map(({ pin, tags, receivedAt, nonce }) => {
        const event = [endpoint, receivedAt, nonce];
        if (pin) {
          const { name, note, pinnedAt } = pin;
          statements.push({ sql: insertPin, args: [...event, name, note, pinnedAt, teamId, maxPins] });
        }
        if (tags.length > 0) statements.push({ sql: insertTags, args: [...event, JSON.stringify(tags)] });
        return statements.push({ sql: `SELECT count(*) FROM events WHERE ${isEvent}`, args: event }) - 1;
      });
      const results = await client.batch(statements, 'write');
      return counts.map(index => Number(results[index]?.rows[0]?.[0]) > 0);
    },
  };
}
