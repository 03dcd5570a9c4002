/*
 * The tools of an AI agent: find, read, wait for and replay events. Captured text may try to instruct the model that reads it, so
 * an agent may replay only to destinations that a person has used before or that the operator allows.
 */

import type { Principal } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import type { Semaphore } from '../../core/concurrency/semaphore.ts';
import { forbidden, invalid } from '../../core/errors.ts';
import { parseWhere } from '../../core/where.ts';
import type { EndpointsService } from '../endpoints/service.ts';
import type { EventsService } from '../events/service.ts';
import type { FeedService } from '../feed/service.ts';
import type { ReplayResult } from '../replays/model.ts';
import type { SchemasService } from '../schemas/service.ts';
import { answerBytes, fitSummaries, type ToolContext } from './answer-size.ts';
import { createGetSchema, toEventResult } from './event-result.ts';
import {
  defaultBodyCharacters,
  exportFileName,
  type Input,
  maxListed,
  maxResultBytes,
  notice,
  type Output,
} from './model.ts';
import { createWaitForEvent } from './wait.ts';

export type Replaying = {
  /** @throws AppError */
  replay: (principal: Principal, eventId: string, url: string) => Promise<ReplayResult>;
  /** Whether events of this endpoint were replayed to this URL before. */
  isKnownDestination: (endpoint: number, url: string) => Promise<boolean>;
  /** Whether the operator allows this destination. */
  isAllowed: (url: URL) => boolean;
};

export type McpService = ReturnType<typeof createMcpService>;

const maxEndpointsListed = 200;
/** The space for the other fields of the list of endpoints. */
const reservedBytes = 1024;

export function createMcpService(options: {
  endpoints: Pick<EndpointsService, 'list' | 'create' | 'owned'>;
  events: Pick<EventsService, 'list' | 'excerpt' | 'locate'>;
  feed: Pick<FeedService, 'page'>;
  schemas: Pick<SchemasService, 'list' | 'schema'>;
  replaying: Replaying;
  /** Limits the waiting calls of each account. */
  waitSemaphore: Semaphore;
  clock: Pick<Clock, 'monotonic'>;
  baseUrl: string;
}) {
  const { endpoints, events, feed, schemas, replaying, waitSemaphore, clock, baseUrl } = options;

  const listEvents = async (
    { principal, signal }: ToolContext,
    given: Input<'list_events'> & { q?: string },
  ): Promise<Output<'list_events'>> => {
    const { endpointId, limit = 25, cursor, q, where } = given;
    const query = {
      endpointId,
      limit: String(Math.min(limit, maxListed)),
      ...(cursor !== undefined && { cursor }),
      ...(q !== undefined && { q }),
      ...(where !== undefined && { where }),
    };
    const page = await events.list(principal, query, signal);
    return { notice, ...fitSummaries(page.events), nextCursor: page.nextCursor, scannedTo: page.scannedTo };
  };

  return {
    async list_endpoints({ principal }: ToolContext): Promise<Output<'list_endpoints'>> {
      const { endpoints: all } = await endpoints.list(principal);
      let listed = all.slice(0, maxEndpointsListed);
      while (answerBytes(listed) > maxResultBytes - reservedBytes)
        listed = listed.slice(0, Math.floor(listed.length * 0.8));
      return { endpoints: listed, truncated: listed.length < all.length };
    },

    create_endpoint: (
      { principal }: ToolContext,
      { name }: Input<'create_endpoint'>,
    ): Promise<Output<'create_endpoint'>> => endpoints.create(principal, name),

    list_events: listEvents,

    search_events: (context: ToolContext, given: Input<'search_events'>): Promise<Output<'search_events'>> =>
      listEvents(context, given),

    async get_event({ principal, signal }: ToolContext, given: Input<'get_event'>): Promise<Output<'get_event'>> {
      const { eventId, bodyOffset = 0, bodyCharacters = defaultBodyCharacters } = given;
      const range = { offset: bodyOffset, characters: bodyCharacters };
      const excerpt = await events.excerpt(principal, eventId, range, signal);
      return toEventResult(excerpt, bodyOffset);
    },

    get_schema: createGetSchema(schemas),

    wait_for_event: createWaitForEvent({ readFeed: feed.page, clock, waitSemaphore }),

    /** @throws forbidden for a destination that no person has used and the operator does not allow */
    async replay_event(
      { principal }: ToolContext,
      { eventId, url }: Input<'replay_event'>,
    ): Promise<Output<'replay_event'>> {
      const { endpoint } = await events.locate(principal, eventId);
      const destination = URL.parse(url);
      if (!destination || !/^https?:$/.test(destination.protocol)) throw invalid('url must be an http or https URL');
      if (!replaying.isAllowed(destination) && !(await replaying.isKnownDestination(endpoint, url)))
        throw forbidden(
          'an agent may send events only to a destination that a person has replayed this endpoint to before (in the dashboard or by the REST API), or that the operator allows',
        );
      return { notice, ...(await replaying.replay(principal, eventId, url)) };
    },

    async export_link({ principal }: ToolContext, given: Input<'export_link'>): Promise<Output<'export_link'>> {
      const { id } = await endpoints.owned(principal, given.endpointId);
      const format = given.format ?? 'json';
      const { q, where } = given;
      if (where !== undefined) parseWhere(where);
      const query = new URLSearchParams({
        format,
        ...(q !== undefined && { q }),
        ...(where !== undefined && { where }),
      });
      return {
        url: `${baseUrl}/api/endpoints/${id}/export?${query}`,
        fileName: exportFileName(id, format),
        authorization: 'Bearer, with an API key or an access token of this account; or a browser that is signed in',
      };
    },
  };
}
