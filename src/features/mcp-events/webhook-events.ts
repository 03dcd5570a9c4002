/*
 * Occurrences of `webhook.received`: the events of a feed that match the filter and may wake an agent; per delivery, the first
 * attempt of each.
 */
import type { TeamAccess } from '../../core/access/principal.ts';
import type { Reader } from '../../core/concurrency/content-reads.ts';
import { decodeDeliveryKey } from '../../core/ids/delivery-key.ts';
import { seqOf } from '../../core/ids/ids.ts';
import { decodeUtf8 } from '../../core/text.ts';
import { createWakingTest } from '../../shared/filter/waking.ts';
import type { EndpointsService } from '../endpoints/service.ts';
import type { EventSummary } from '../events/model.ts';
import type { EventsService } from '../events/service.ts';
import type { FeedService } from '../feed/service.ts';
import type { WatchOf } from './arguments.ts';
import { type EventData, maxBodyBytes, maxOccurrenceBytes } from './model.ts';
import type { EventSource, Found, Reading } from './source.ts';

type Endpoint = Awaited<ReturnType<EndpointsService['owned']>>;
type ReceivedWatch = WatchOf<'webhook.received'>;

/** One read of a watch. `endpoint`: its row number. `since`: earlier attempts do not count. */
export type ReceivedReading = {
  endpoint: number;
  since: number;
  row: Endpoint;
  watch: ReceivedWatch;
  principal: TeamAccess;
  reader: Reader | undefined;
};
export type ReceivedRow = { seq: number; receivedAt: number; delivery: number | null; event: EventSummary };

/** How long one read goes on while it finds nothing. */
const budgetMs = 250;
/** The most bytes of bodies in one answer. */
const maxBodiesBytes = 512 << 10;
/** The space for `body` and the fields around the data. */
const reservedBytes = 512;

export function createWebhookEvents(options: {
  /** @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<Endpoint>;
  feed: Pick<FeedService, 'readAfter' | 'lastSeq'>;
  listBySeq: EventsService['listBySeq'];
  /** Leaves out events of deliveries of which an earlier attempt occurred. */
  firstOfDeliveries: (reading: ReceivedReading, rows: readonly ReceivedRow[]) => Promise<ReceivedRow[]>;
  /** The bodies of small events, by row number. Deleted and damaged events are missing. */
  bodiesOf: (endpoint: number, seqs: readonly number[]) => Promise<ReadonlyMap<number, Uint8Array>>;
  monotonic: () => number;
  baseUrl: string;
}): EventSource<ReceivedWatch> {
  const { endpoint: findEndpoint, feed, listBySeq, firstOfDeliveries, bodiesOf, monotonic, baseUrl } = options;

  const waking = async (reading: ReceivedReading, events: readonly EventSummary[]): Promise<EventSummary[]> => {
    const found = events.filter(createWakingTest(reading.watch.filter));
    if (reading.watch.per === 'event' || found.every(({ delivery }) => delivery.attempts === 1)) return found;
    const rows = found.map(event => ({
      event,
      seq: seqOf(event),
      receivedAt: event.receivedAt,
      delivery: decodeDeliveryKey(event.delivery.key)?.number ?? null,
    }));
    return (await firstOfDeliveries(reading, rows)).map(({ event }) => event);
  };

  /** The first of these events, as many as fit into an answer, at least one. */
  const toFound = async (
    { row, watch }: Pick<ReceivedReading, 'row' | 'watch'>,
    events: readonly EventSummary[],
  ): Promise<Found[]> => {
    const isFull = watch.content === 'full';
    const end = isFull ? endOfFitting(events) : events.length;
    const shown = events.slice(0, end);
    const small = shown.filter(({ size }) => size <= maxBodyBytes);
    const bodies = isFull ? await bodiesOf(row.seq, small.map(seqOf)) : undefined;
    return shown.map(event => {
      const summary = {
        ...event,
        endpointName: row.name,
        link: `${baseUrl}/app/endpoints/${row.id}/events/${event.id}`,
      };
      const data = bodies ? withBody(summary, bodies.get(seqOf(event))) : summary;
      return { seq: seqOf(event), eventId: event.id, at: event.receivedAt, data };
    });
  };

  const read = async (
    { principal, reader }: Reading,
    watch: ReceivedWatch,
    { seq: start, since, limit, oldest }: Parameters<EventSource<ReceivedWatch>['after']>[2],
  ) => {
    const row = await findEndpoint(principal, watch.endpointId);
    const reading: ReceivedReading = { endpoint: row.seq, since, row, watch, principal, reader };
    const until = monotonic() + budgetMs;
    const where = watch.filter.text;
    for (let [after, truncated] = [start, false]; ; ) {
      const page = await feed.readAfter({ principal, endpoint: row, reader, after, where, limit });
      const occurred = await waking(reading, page.events);
      const recent = occurred.filter(({ receivedAt }) => receivedAt >= oldest);
      truncated ||= page.truncated || recent.length < occurred.length;
      after = page.position;
      if (recent.length === 0 && page.more && monotonic() < until && !reader?.signal?.aborted) continue;
      const found = await toFound(reading, recent);
      const isCut = found.length < recent.length;
      return { found, seq: isCut ? (found.at(-1)?.seq ?? after) : after, hasMore: page.more || isCut, truncated };
    }
  };

  return {
    scopeId: (_, { endpointId }) => endpointId,
    newest: feed.lastSeq,
    check: async (principal, { endpointId }) => void (await findEndpoint(principal, endpointId)),
    after: read,
    async find({ principal, reader }, watch, seq) {
      const row = await findEndpoint(principal, watch.endpointId);
      const { teamId, plan } = principal;
      const events = await listBySeq({ teamId, plan, ...reader }, row, [seq]);
      return (await toFound({ row, watch }, events))[0];
    },
  };
}

/** How many of the events, at least one, have bodies that fit into one answer. */
function endOfFitting(events: readonly EventSummary[]): number {
  let bytes = 0;
  const end = events.findIndex(({ size }, index) => {
    bytes += size <= maxBodyBytes ? size : 0;
    return index > 0 && bytes > maxBodiesBytes;
  });
  return end < 0 ? events.length : end;
}

/** @param body undefined: it is left out */
function withBody(summary: EventData<'webhook.received'>, body: Uint8Array | undefined): EventData<'webhook.received'> {
  const text = body && decodeUtf8(body);
  const data = { ...summary, body: text ?? null, bodyTruncated: text === undefined };
  const isLarge = Buffer.byteLength(JSON.stringify(data)) > maxOccurrenceBytes - reservedBytes;
  return isLarge ? { ...summary, body: null, bodyTruncated: true } : data;
}
