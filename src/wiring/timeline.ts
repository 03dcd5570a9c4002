/* Counts of events over time and by value. */
import type { EndpointsService } from '../features/endpoints/service.ts';
import type { EventsService } from '../features/events/service.ts';
import type { SearchService } from '../features/search/service.ts';
import { createTallies } from '../features/search/tallies.ts';
import { createTalliesStore } from '../features/search/tallies-store.ts';
import { createTimelineService } from '../features/timeline/service.ts';
import type { Infrastructure } from './infrastructure.ts';

export const wireTimeline = ({
  infrastructure: { clock, direct, searchLimits },
  endpoints,
  events,
  search,
}: {
  infrastructure: Infrastructure;
  endpoints: EndpointsService;
  events: EventsService;
  search: SearchService;
}) => ({
  timeline: createTimelineService({
    // Each request looks for its endpoint first, and that read has waited for the deliveries acknowledged before.
    tallies: createTallies({ store: createTalliesStore(direct.scanClient), now: clock.now }),
    search,
    clock,
    endpoint: endpoints.owned,
    retentionCutoff: events.retentionCutoff,
    pathsOf: events.pathsOf,
    budgetMs: searchLimits.budget?.ms,
  }),
});
