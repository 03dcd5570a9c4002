/* The newest events of an endpoint that match a filter, for previews: page after page, for some seconds at most. */
import type { MemberAccess, TeamAccess } from '../access/principal.ts';
import type { Clock } from '../clock.ts';
import type { ContentRead, Reader } from '../concurrency/content-reads.ts';

/** How long events are searched for that are rare. */
const searchMs = 5000;

type PageQuery = { endpointId: string; where: string; limit: string; cursor?: string };

export type ListEvents<E> = (
  reader: MemberAccess & Reader,
  query: PageQuery,
) => Promise<{ events: E[]; nextCursor: string | null }>;

/** Reads events with content, in the order of row numbers; damaged and removed events are left out. */
export type ReadContents<Content> = (
  principal: TeamAccess,
  endpointId: string,
  events: readonly { seq: number; size: number }[],
  read: ContentRead,
) => AsyncIterable<Content>;

/** @param list matching events, newest first; a search that takes long returns fewer, and a cursor @throws what `list` does */
export async function newestEvents<E>(
  { list, clock }: { list: ListEvents<E>; clock: Pick<Clock, 'monotonic'> },
  reader: MemberAccess & Reader,
  endpointId: string,
  { where, limit }: { where: string; limit: number },
): Promise<E[]> {
  const until = clock.monotonic() + searchMs;
  const found: E[] = [];
  for (let cursor: string | null | undefined; cursor !== null && found.length < limit; ) {
    const query = { endpointId, where, limit: `${limit - found.length}`, ...(cursor !== undefined && { cursor }) };
    const page = await list(reader, query);
    found.push(...page.events);
    cursor = clock.monotonic() < until && !reader.signal?.aborted ? page.nextCursor : null;
  }
  return found;
}
