/* Where the occurrences of an event type come from. */
import type { TeamAccess } from '../../core/access/principal.ts';
import type { Reader } from '../../core/concurrency/content-reads.ts';
import type { EventData, EventName } from './model.ts';

/** `reader`: undefined for background work. */
export type Reading = { principal: TeamAccess; reader: Reader | undefined };

/** An occurrence under its row number. `at`: epoch ms. */
export type Found = { seq: number; eventId: string; at: number; data: EventData<EventName> };

export type EventSource<W> = {
  /** The id of what cursors belong to: the endpoint, or the team. */
  scopeId: (principal: TeamAccess, watch: W) => string;
  /** @throws not_found when the endpoint does not exist any more */
  check: (principal: TeamAccess, watch: W) => Promise<void>;
  /** The row number that all later occurrences are after. */
  newest: () => Promise<number>;
  /**
   * The occurrences after a row number, oldest first, and the row number up to which they were read. A read that takes long
   * returns few or none.
   * @param options `oldest`: earlier ones are left out, epoch ms @returns `truncated`: retention or `oldest` took some
   * @throws not_found; as `ContentReads.run`
   */
  after: (
    reading: Reading,
    watch: W,
    options: { seq: number; since: number; limit: number; oldest: number },
  ) => Promise<{ found: Found[]; seq: number; hasMore: boolean; truncated: boolean }>;
  /** The occurrence with this row number, if it still exists. @throws not_found; as `ContentReads.run` */
  find: (reading: Reading, watch: W, seq: number) => Promise<Found | undefined>;
};
