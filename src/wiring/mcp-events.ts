/* MCP Events: event types, and what their clients get. */
import { createSemaphore } from '../core/concurrency/semaphore.ts';
import { createFirstAttempts } from '../core/events/first-attempts.ts';
import { parseEventId } from '../core/ids/ids.ts';
import { createChangesStore } from '../features/alerts/store.ts';
import { createFeedStore } from '../features/feed/store.ts';
import { createAlertEvents } from '../features/mcp-events/alert-events.ts';
import { createMcpEventsService } from '../features/mcp-events/service.ts';
import { createOpenStream, maxStreams } from '../features/mcp-events/stream.ts';
import { createWebhookEvents, type ReceivedReading, type ReceivedRow } from '../features/mcp-events/webhook-events.ts';
import { createWakingTest } from '../shared/filter/waking.ts';
import type { CoreServices } from './core.ts';
import type { wireFeed } from './feed.ts';

export function wireMcpEvents(services: CoreServices & ReturnType<typeof wireFeed>) {
  const { config, clock, database, endpoints, events, feed, notifications } = services;
  const { baseUrl } = config;
  const { contents } = createFeedStore(database);
  const summaries = ({ principal, reader, row }: ReceivedReading, seqs: readonly number[]) =>
    events.listBySeq({ teamId: principal.teamId, plan: principal.plan, ...reader }, row, [...seqs]);

  const firstOfDeliveries = createFirstAttempts<ReceivedReading, ReceivedRow>({
    groupsOf: (endpoint, rows) => events.deliveries.groupsOf({ endpoint, since: Number.MIN_SAFE_INTEGER }, rows),
    selectFor: async (reading, seqs) => {
      const { watch, row, reader } = reading;
      const waking = (await summaries(reading, seqs)).filter(createWakingTest(watch.filter));
      return feed.select({ endpoint: row, reader, where: watch.filter.text }, waking.map(seqOf));
    },
    verdictsOf: async (reading, seqs) =>
      new Map((await summaries(reading, seqs)).map(event => [seqOf(event), event.verdict])),
  });
  const service = createMcpEventsService({
    endpoints,
    sources: {
      'webhook.received': createWebhookEvents({
        endpoint: endpoints.owned,
        feed,
        listBySeq: events.listBySeq,
        firstOfDeliveries,
        bodiesOf: async (endpoint, seqs) => {
          const found = await contents(endpoint, seqs);
          return new Map([...found].flatMap(([seq, content]) => (content ? [[seq, content.body]] : [])));
        },
        monotonic: clock.monotonic,
        baseUrl,
      }),
      'alert.changed': createAlertEvents({
        endpoint: endpoints.owned,
        store: createChangesStore(database),
        now: clock.now,
        baseUrl,
      }),
    },
    now: clock.now,
  });
  const openEventsStream = createOpenStream({
    service,
    openSource: notifications.openSource,
    semaphore: createSemaphore(maxStreams),
    clock,
  });
  return { mcpEvents: service, openEventsStream };
}

const seqOf = ({ id }: { id: string }): number => parseEventId(id)?.seq ?? 0;
