/* The contents of stored events for previews, some at a time. */
import type { TeamAccess } from '../core/access/principal.ts';
import { groupBySize } from '../core/blocks/group-by-size.ts';
import type { ContentRead } from '../core/concurrency/content-reads.ts';
import type { EndpointsService } from '../features/endpoints/service.ts';
import type { EventsService } from '../features/events/service.ts';

/** Bodies that a preview holds together. A larger one is held alone. */
const maxHeldBytes = 4 << 20;

/** In the order of row numbers; damaged and removed events are left out. */
export const createContents = (endpoints: Pick<EndpointsService, 'owned'>, events: EventsService) =>
  async function* (
    principal: TeamAccess,
    id: string,
    sized: readonly { seq: number; size: number }[],
    read: ContentRead,
  ) {
    const endpoint = await endpoints.owned(principal, id);
    const scope = { endpoint: endpoint.seq, since: events.retentionCutoff(principal, endpoint) };
    for (const group of groupBySize(sized, maxHeldBytes)) yield* await events.deliveries.contents(scope, group, read);
  };
