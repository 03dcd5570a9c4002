/* A delivery with all its attempts, and the schedule on which senders retry, as far as it was observed. */

import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import type { Answered, StoredOutcome } from '../../core/answers/model.ts';
import { groupBySize, withinBytes } from '../../core/blocks/group-by-size.ts';
import type { ContentRead, ContentReads, Reader } from '../../core/concurrency/content-reads.ts';
import { notFound } from '../../core/errors.ts';
import type { OwnRetention } from '../../core/events/retention.ts';
import { basisOf, type DeliveryBasis } from '../../core/ids/delivery-key.ts';
import type { EventSummary } from '../events/model.ts';
import type { Delivery, RetrySchedule, SenderRetries } from './model.ts';

type Position = { seq: number; receivedAt: number };
type Group = { number: number; key: string; attempts: readonly Position[] };
type Scope = { endpoint: number; since: number };
/** A recent event of one endpoint. `delivery`: the number of its delivery, null until it is computed. */
type RecentRow = Position & { delivery: number | null; platform: string | null };
type Readable = OwnRetention & { seq: number; token: string };
/** `outcome`: what is stored of the response to the sender. */
type Content = Position & { body: Uint8Array; outcome: StoredOutcome };

/** The most bytes of bodies that are read for one delivery; the attempts beyond that are not listed. */
const maxBodyBytes = 256 << 20;
/** The most bytes of bodies in memory at once. A larger body is read alone. */
const maxHeldBytes = 4 << 20;
const maxRecentEvents = 5000;
const maxRecentDeliveries = 200;

export type DeliveriesService = ReturnType<typeof createDeliveriesService>;

export function createDeliveriesService<Stored extends Content>(options: {
  /** The endpoint, when it belongs to the principal's team. @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<Readable>;
  /** Events of the endpoint received before this time are visible only if they are pinned. */
  retentionCutoff: (principal: TeamAccess, endpoint: OwnRetention) => number;
  findByKey: (scope: Scope, key: string) => Promise<Group | undefined>;
  /** The deliveries of these events, by row number. */
  groupsOf: (scope: Scope, rows: readonly RecentRow[]) => Promise<Map<number, Group>>;
  /** The newest events, newest first. */
  recent: (scope: Scope, limit: number) => Promise<RecentRow[]>;
  /** Events by row number, oldest first; without the removed ones. */
  summaries: (
    reader: MemberAccess & Reader,
    endpoint: Readable,
    seqs: number[],
  ) => Promise<(EventSummary & Position)[]>;
  /** Like `summaries`, with contents; damaged events are left out. */
  contents: (scope: Scope, which: readonly { seq: number; size: number }[], read: ContentRead) => Promise<Stored[]>;
  contentReads: ContentReads;
  /** The response to an event for which none is stored: former versions did not store responses to handshakes. */
  answered: (endpoint: Readable, event: Stored) => Answered;
}) {
  const { endpoint: findEndpoint, retentionCutoff, findByKey, groupsOf, recent, summaries, contents } = options;
  const { answered, contentReads } = options;

  /** What the senders received, by row number, and whether the bodies differ. */
  const readContents = async (
    endpoint: Readable,
    scope: Scope,
    attempts: readonly (Position & { size: number })[],
    read: ContentRead,
  ) => {
    const answers = new Map<number, Answered>();
    const sizes = new Set(attempts.map(({ size }) => size));
    const hashes = new Set<bigint>();
    for (const group of groupBySize(attempts, maxHeldBytes))
      for (const event of await contents(scope, group, read)) {
        answers.set(event.seq, event.outcome?.answered ?? answered(endpoint, event));
        if (sizes.size === 1) hashes.add(Bun.hash.xxHash3(event.body));
      }
    return { answers, bodiesDiffer: sizes.size > 1 || hashes.size > 1 };
  };

  return {
    /**
     * @param signal aborted when the client disconnects
     * @throws not_found for the endpoint and the delivery; as `ContentReads.run`
     */
    async delivery(principal: MemberAccess, endpointId: string, key: string, signal?: AbortSignal): Promise<Delivery> {
      const reader = { ...principal, signal };
      const endpoint = await findEndpoint(principal, endpointId);
      const scope = { endpoint: endpoint.seq, since: retentionCutoff(principal, endpoint) };
      const group = await findByKey(scope, key);
      const seqs = group?.attempts.map(({ seq }) => seq) ?? [];
      const events = await summaries(reader, endpoint, seqs);
      events.sort((a, b) => a.receivedAt - b.receivedAt || a.seq - b.seq);
      const listed = withinBytes(events, maxBodyBytes);
      const [first] = listed;
      if (!group || !first) throw notFound('delivery');
      const { answers, bodiesDiffer } = await contentReads.run(reader, read =>
        readContents(endpoint, scope, listed, read),
      );
      return {
        key: group.key,
        basis: basisOf(group.number),
        platform: first.platform,
        attempts: listed.map(({ seq, ...event }, i) => ({
          ...event,
          gapMs: i === 0 ? null : event.receivedAt - (listed[i - 1]?.receivedAt ?? 0),
          answered: answers.get(seq) ?? event.answered,
        })),
        bodiesDiffer,
      };
    },

    /** @throws not_found */
    async retries(principal: TeamAccess, endpointId: string): Promise<RetrySchedule> {
      const endpoint = await findEndpoint(principal, endpointId);
      const scope = { endpoint: endpoint.seq, since: retentionCutoff(principal, endpoint) };
      const rows = await recent(scope, maxRecentEvents);
      const repeated = newestRepeated(rows);
      const groups = await groupsOf(scope, repeated);
      const observed = new Map<
        string,
        { platform: string | null; basis: DeliveryBasis; attempts: readonly Position[] }
      >();
      for (const { seq, platform } of repeated) {
        const group = groups.get(seq);
        if (group) observed.set(group.key, { platform, basis: basisOf(group.number), attempts: group.attempts });
      }
      return {
        events: rows.length,
        since: rows.at(-1)?.receivedAt ?? null,
        senders: senderRetries([...observed.values()].filter(({ attempts }) => attempts.length > 1)),
      };
    },
  };
}

/** One row of each delivery with several attempts, the newest deliveries first. */
function newestRepeated(rows: readonly RecentRow[]): RecentRow[] {
  const counts = new Map<number, number>();
  for (const { delivery } of rows) if (delivery !== null) counts.set(delivery, (counts.get(delivery) ?? 0) + 1);
  const found = new Map<number, RecentRow>();
  for (const row of rows) {
    if (row.delivery === null || found.has(row.delivery) || (counts.get(row.delivery) ?? 0) < 2) continue;
    found.set(row.delivery, row);
    if (found.size === maxRecentDeliveries) break;
  }
  return [...found.values()];
}

/** A delivery with several attempts, oldest first. */
export type ObservedDelivery = {
  platform: string | null;
  basis: DeliveryBasis;
  attempts: readonly { receivedAt: number }[];
};

const maxRetries = 20;

/** The median time before each retry, by platform and basis, those with most deliveries first. */
export function senderRetries(deliveries: readonly ObservedDelivery[]): SenderRetries[] {
  const senders = Map.groupBy(deliveries, ({ platform, basis }) => `${basis} ${platform ?? ''}`);
  return [...senders.values()]
    .map(ofSender => ({
      platform: ofSender[0]?.platform ?? null,
      basis: ofSender[0]?.basis ?? 'content',
      deliveries: ofSender.length,
      retries: retriesOf(ofSender),
    }))
    .sort((a, b) => b.deliveries - a.deliveries);
}

function retriesOf(deliveries: readonly ObservedDelivery[]): SenderRetries['retries'] {
  const longest = Math.max(...deliveries.map(({ attempts }) => attempts.length));
  const retries: SenderRetries['retries'] = [];
  for (let n = 1; n < Math.min(longest, maxRetries + 1); n++) {
    const gaps = deliveries.flatMap(({ attempts }) => {
      const [before, after] = [attempts[n - 1], attempts[n]];
      return before && after ? [after.receivedAt - before.receivedAt] : [];
    });
    retries.push({ attempt: n + 1, gapMs: median(gaps), deliveries: gaps.length });
  }
  return retries;
}

/** @param numbers at least one */
function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return Math.round(((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2);
}
