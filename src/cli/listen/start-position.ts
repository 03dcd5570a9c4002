/* The start of a session. The consumer is created or moved only after the user has accepted the backlog. */
import { encodeFeedCursor } from '../../core/ids/feed-cursor.ts';
import { parseEventId } from '../../core/ids/ids.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import type { FeedPage } from '../../features/feed/model.ts';
import type { Api } from '../client/api.ts';
import { counted, safeLine } from '../client/output.ts';
import { BacklogError, type Io } from '../io.ts';
import type { ListenOptions } from './options.ts';
import { putConsumer, readConsumer } from './position.ts';

export type Start = {
  cursor: string;
  /** The number of events after the position. */
  behind: number;
  etag: string | undefined;
};

type Wanted = Pick<ListenOptions, 'name' | 'formerName' | 'from' | 'maxBacklog' | 'where'>;

const pageEvents = 100;

/** @throws BacklogError, RefusedError, UnreachableError */
export async function findStart(io: Io, api: Api, endpoint: Endpoint, options: Wanted): Promise<Start> {
  const { name, formerName, from } = options;
  const existing = await readConsumer(api, endpoint.id, name);
  const isFirst = !existing && from === 'last' && formerName !== undefined;
  const former = isFirst ? await readConsumer(api, endpoint.id, formerName) : undefined;
  if (former)
    io.stderr(`Continuing where ${formerName} was. From now on, the position of this folder is called ${name}.\n`);
  const last = (existing ?? former)?.consumer;
  const cursor =
    from === 'last'
      ? (last?.cursor ?? 'now')
      : typeof from === 'string'
        ? from
        : await cursorBefore(api, endpoint.id, from.ago);
  const known = from === 'last' ? last?.behind : from === 'start' ? endpoint.eventCount : undefined;
  const chosen = await confirm(io, api, endpoint, { ...options, cursor, known });
  if (existing && chosen === existing.consumer.cursor)
    return { cursor: chosen, behind: existing.consumer.behind, etag: existing.etag };
  // Created only if it is still missing: another listener of this name may start at the same time.
  const condition = existing ? {} : { 'if-none-match': '*' };
  const { consumer, etag } = await putConsumer(
    api,
    { endpointId: endpoint.id, name, cursor: chosen, rewind: true },
    condition,
  ).catch(async error => {
    const made = (error as { status?: unknown }).status === 412 && (await readConsumer(api, endpoint.id, name));
    if (!made) throw error;
    return made;
  });
  return { cursor: consumer.cursor, behind: consumer.behind, etag };
}

/** The position before the first event that is newer than a duration, by the clock of the server. */
async function cursorBefore(api: Api, endpointId: string, ago: string): Promise<string> {
  for (let after = 'start'; ; ) {
    const query = { after, where: `received>${ago}`, limit: 1 };
    const page = await api.call<FeedPage>('GET', `/api/endpoints/${endpointId}/feed`, { query });
    const seq = parseEventId(page.events[0]?.id ?? '')?.seq;
    if (seq !== undefined) return encodeFeedCursor(endpointId, seq - 1);
    after = page.cursor;
    if (!page.more) return after;
  }
}

type Backlog = Wanted & {
  cursor: string;
  /** The number of events after the position; undefined if the server has not returned it. */
  known: number | undefined;
};

/** @returns the start position, if the backlog may be delivered */
async function confirm(io: Io, api: Api, endpoint: Endpoint, backlog: Backlog): Promise<string> {
  const { cursor, known, where, maxBacklog } = backlog;
  if (cursor === 'now' || (known ?? endpoint.eventCount) <= maxBacklog) return cursor;
  const isExact = known !== undefined && where === undefined;
  const waiting = isExact ? known : await countAfter(api, endpoint.id, backlog);
  if (waiting <= maxBacklog) return cursor;
  const said = `${isExact ? counted(waiting, 'event') : `more than ${counted(maxBacklog, 'event')}`} of ${safeLine(endpoint.name)}`;
  const verb = isExact && waiting === 1 ? 'is' : 'are';
  if (!io.ask || !io.isForeground())
    throw new BacklogError(
      `${said} ${verb} waiting (limit: ${maxBacklog}). Use --max-backlog N to deliver them, or --from now to skip them`,
    );
  const answer = await io.ask(
    `${said} ${verb} waiting. Deliver ${verb === 'is' ? 'it' : 'them'}? [y]es, [n]o (start with new events), [Q]uit `,
    false,
  );
  if (/^\s*y/i.test(answer)) return cursor;
  if (/^\s*n/i.test(answer)) return 'now';
  throw new BacklogError('cancelled: nothing was delivered');
}

/** Counts the events after the position; stops soon after `maxBacklog`. */
async function countAfter(api: Api, endpointId: string, { cursor, where, maxBacklog }: Backlog): Promise<number> {
  let count = 0;
  for (let after = cursor; count <= maxBacklog; ) {
    const query = { after, where, limit: Math.min(pageEvents, maxBacklog + 1 - count) };
    const page = await api.call<FeedPage>('GET', `/api/endpoints/${endpointId}/feed`, { query });
    count += page.events.length;
    if (!page.more) break;
    after = page.cursor;
  }
  return count;
}
