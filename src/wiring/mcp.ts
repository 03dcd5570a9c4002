/* The Model Context Protocol server and its tools. */
import { createSemaphore } from '../core/concurrency/semaphore.ts';
import { AppError } from '../core/errors.ts';
import { isUrlAllowed } from '../core/network/allow-list.ts';
import type { McpHandler } from '../features/mcp/server.ts';
import { createMcpService } from '../features/mcp/service.ts';
import { createDestinationsStore } from '../features/mcp/store.ts';
import { requestContext } from '../http/fetch-adapter.ts';
import type { SharedServices } from './shared.ts';

const waitsPerAccount = 10;

export function wireMcp(services: SharedServices) {
  const { config, clock, database, version, onRequestError, audit, replays, mcpEvents, subscriptions } = services;
  const destinations = createDestinationsStore(database.scanDb);

  const service = createMcpService({
    endpoints: services.endpoints,
    events: services.events,
    feed: services.feed,
    schemas: services.schemas,
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
        openStream: services.openEventsStream,
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
