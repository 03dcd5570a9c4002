/* The Model Context Protocol server and its tools. */

import { createSemaphore } from '../core/concurrency/semaphore.ts';
import { AppError } from '../core/errors.ts';
import { isUrlAllowed } from '../core/network/allow-list.ts';
import type { AuditService } from '../features/audit/service.ts';
import type { EndpointsService } from '../features/endpoints/service.ts';
import type { EventsService } from '../features/events/service.ts';
import type { FeedService } from '../features/feed/service.ts';
import type { McpHandler } from '../features/mcp/server.ts';
import { createMcpService } from '../features/mcp/service.ts';
import { createDestinationsStore } from '../features/mcp/store.ts';
import type { McpEventsService } from '../features/mcp-events/service.ts';
import type { OpenStream } from '../features/mcp-events/stream.ts';
import type { SubscriptionsService } from '../features/mcp-subscriptions/service.ts';
import type { ReplaysService } from '../features/replays/service.ts';
import type { SchemasService } from '../features/schemas/service.ts';
import { requestContext } from '../http/fetch-adapter.ts';
import type { Infrastructure } from './infrastructure.ts';

const waitsPerAccount = 10;

type McpDependencies = {
  infrastructure: Infrastructure;
  audit: AuditService;
  endpoints: EndpointsService;
  events: EventsService;
  feed: FeedService;
  replays: ReplaysService;
  schemas: SchemasService;
  mcpEvents: McpEventsService;
  openEventsStream: OpenStream;
  subscriptions: SubscriptionsService;
};

export function wireMcp(dependencies: McpDependencies) {
  const {
    infrastructure,
    audit,
    endpoints,
    events,
    feed,
    replays,
    schemas,
    mcpEvents,
    openEventsStream: openStream,
    subscriptions,
  } = dependencies;
  const { config, clock, database, version, onRequestError } = infrastructure;
  const destinations = createDestinationsStore(database.scanDb);

  const service = createMcpService({
    endpoints,
    events,
    feed,
    schemas,
    replaying: {
      replay: async (principal, id, url) => {
        const record = () => audit.record(principal, 'event.replayed', { type: 'event', id });
        try {
          const result = await replays.replayAsCaptured(principal, id, url);
          await record();
          return result;
        } catch (error) {
          // The destination did not answer: the attempt was made.
          if (error instanceof AppError && error.code === 'unreachable') await record();
          throw error;
        }
      },
      isKnownDestination: destinations.isKnown,
      isAllowed: url => isUrlAllowed(config.replayAllow, url),
    },
    waitSemaphore: createSemaphore(waitsPerAccount),
    clock,
    baseUrl: config.baseUrl,
  });
  // Loading the protocol's library would more than double the start time, so it is loaded for the first agent.
  let server: Promise<McpHandler> | undefined;
  const load = async (): Promise<McpHandler> => {
    const [{ createMcp }, { createEventsMethods }] = await Promise.all([
      import('../features/mcp/server.ts'),
      import('../features/mcp-events/methods.ts'),
    ]);
    const onError = onRequestError;
    return createMcp({
      service,
      registerEvents: createEventsMethods({
        service: mcpEvents,
        openStream,
        subscriptions,
        onAnswered: (request, listener) => requestContext(request).onAnswered(listener),
        onError,
      }),
      version,
      onError,
    });
  };
  const mcp: McpHandler = {
    fetch: async (request, body, access) => {
      server ??= load();
      return (await server).fetch(request, body, access);
    },
    close: async () => (await server)?.close(),
  };
  return { mcp };
}
