/*
 * A position among the occurrences of an event type, the same for polls, streams and webhooks. Opaque to clients. It ends with the
 * initial of the type and letters of the id of the endpoint, or of the team, so that a cursor of another endpoint or team is refused.
 */
import { decodeNumber, encodeNumber } from '../../core/encoding/base32.ts';
import type { EventName } from './model.ts';

/**
 * `seq`: the row number of the last occurrence that the reader has. `since`: where it began to read; with `per: delivery`, earlier
 * attempts do not count, because they did not wake it.
 */
export type EventsPosition = { seq: number; since: number };

/** `id`: of the endpoint; for all endpoints of a team, that of the team. */
export type CursorScope = { name: EventName; id: string };

const numberLetters = 11;
const tailOf = ({ name, id }: CursorScope): string => name.slice(0, 1) + id.slice(-8);

export const encodeCursor = (scope: CursorScope, { seq, since }: EventsPosition): string =>
  // After a backup was restored, the last event may be before the first one of the reader.
  encodeNumber(seq, numberLetters) + encodeNumber(Math.min(since, seq), numberLetters) + tailOf(scope);

/** undefined for anything that `encodeCursor` cannot have made for this scope. */
export function decodeCursor(scope: CursorScope, cursor: string): EventsPosition | undefined {
  const tail = tailOf(scope);
  if (cursor.length !== 2 * numberLetters + tail.length || !cursor.endsWith(tail)) return undefined;
  const seq = decodeNumber(cursor.slice(0, numberLetters));
  const since = decodeNumber(cursor.slice(numberLetters, 2 * numberLetters));
  return seq === undefined || since === undefined || since > seq ? undefined : { seq, since };
}
