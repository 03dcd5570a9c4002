/* What subscriptions read of the event types (features/mcp-events): occurrences by their positions, and cursors. */
import type { McpEventsService } from '../mcp-events/service.ts';
import type { Subscription } from './store.ts';

type Watch = Awaited<ReturnType<McpEventsService['readWatch']>>;
type Principal = { teamId: string; plan: 'free' | 'pro' };

/** `seq`: everything up to this position was read. `truncated`: retention took something. */
export type OccurrencePage = {
  found: { seq: number; at: number }[];
  seq: number;
  hasMore: boolean;
  truncated: boolean;
};

export type Occurrences = ReturnType<typeof createOccurrences>;

/** Most callers do not need the bodies. */
const summaryOf = (watch: Watch): Watch =>
  watch.name === 'webhook.received' ? { ...watch, content: 'summary' } : watch;

export function createOccurrences(events: McpEventsService) {
  const watchOf = (subscription: Subscription): Promise<Watch> => {
    const given = JSON.parse(subscription.arguments.toString()) as Record<string, unknown>;
    // The endpoint was found once: its name may belong to another endpoint by now.
    const own = subscription.endpointId === null ? given : { ...given, endpoint: subscription.endpointId };
    return events.readWatch(subscription, subscription.name, own);
  };
  const cursorAt = async (subscription: Subscription, seq: number): Promise<string> =>
    events.cursorOf(subscription, await watchOf(subscription), { seq, since: subscription.since });

  const page = async (
    principal: Principal,
    watch: Watch,
    request: { cursor: string; limit: number; maxAgeMs?: number | undefined },
  ): Promise<OccurrencePage> => {
    const read = await events.occurrencesAfter({ principal, reader: undefined }, summaryOf(watch), request);
    const seqOf = async (cursor: string): Promise<number> => (await events.positionOf(principal, watch, cursor)).seq;
    const found = await Promise.all(
      read.occurrences.map(async ({ cursor, timestamp }) => ({ seq: await seqOf(cursor), at: Date.parse(timestamp) })),
    );
    return { found, seq: await seqOf(read.cursor), hasMore: read.hasMore, truncated: read.truncated };
  };

  return {
    watchOf,
    cursorAt,
    page,
    /** The next occurrences after the position of a subscription. @throws not_found */
    async next(subscription: Subscription, limit: number): Promise<OccurrencePage> {
      const watch = await watchOf(subscription);
      const { position: seq, since } = subscription;
      return page(subscription, watch, { cursor: events.cursorOf(subscription, watch, { seq, since }), limit });
    },
    /** An occurrence as JSON; undefined if it no longer exists. @param after the position of its cursor @throws not_found */
    async one(
      subscription: Subscription,
      seq: number,
      after: number,
    ): Promise<{ id: string; body: string } | undefined> {
      const watch = await watchOf(subscription);
      const { since } = subscription;
      const reading = { principal: subscription, reader: undefined };
      const found = await events.occurrence(reading, watch, { seq, since });
      const cursor = events.cursorOf(subscription, watch, { seq: after, since });
      return found && { id: found.eventId, body: JSON.stringify({ ...found, cursor }) };
    },
  };
}
