/*
 * The methods of MCP Events on `/mcp`. The capability is named in both places where clients look for it, at the top level and
 * among the extensions.
 */
import { CLIENT_CAPABILITIES_META_KEY, type McpServer, ProtocolError } from '@modelcontextprotocol/server';
import { invalid, invalidFields } from '../../core/errors.ts';
import { type Dialect, dialectOf, extensionName, toRpcError } from '../../core/mcp-events/errors.ts';
import { readFields } from '../../core/read-fields.ts';
import type { CallContext } from '../mcp/server.ts';
import type { SubscriptionsService } from '../mcp-subscriptions/service.ts';
import { defaultOccurrences, type EventRequest, eventRequests, eventTypes, maxOccurrences } from './model.ts';
import type { McpEventsService } from './service.ts';
import type { Reading } from './source.ts';
import type { OpenStream } from './stream.ts';

const pollAfterEventMs = 1000;
const pollAfterNothingMs = 5000;

/** `dialect`: of the request, whose id is `id`. */
type MethodContext = { call: CallContext; signal: AbortSignal; id: string | number; dialect: Dialect };
type Method = (params: unknown, context: MethodContext) => Promise<Record<string, unknown>>;

export function createEventsMethods(options: {
  service: McpEventsService;
  openStream: OpenStream;
  subscriptions: Pick<SubscriptionsService, 'subscribe' | 'unsubscribe'>;
  /** Calls the function once the answer to the request was written. */
  onAnswered: (request: Request, listener: () => void) => void;
  onError: (error: unknown, request: Request) => void;
}): (server: McpServer, call: CallContext) => void {
  const { service, openStream, subscriptions, onAnswered, onError } = options;

  const methods: Record<string, Method> = {
    async 'events/list'(params) {
      const { cursor = null } = readRequest('list', params);
      if (cursor !== null) throw invalid('cursor: there is only one page');
      return { events: eventTypes };
    },

    async 'events/poll'(params, { call, signal }) {
      const { principal } = call.access;
      const { name, cursor = null, maxAgeMs, maxEvents, arguments: given } = readRequest('poll', params);
      const watch = await service.readWatch(principal, name, given);
      const limit = Math.min(maxEvents ?? defaultOccurrences, maxOccurrences);
      const reading: Reading = { principal, reader: { ...principal, signal } };
      const found = await service.occurrencesAfter(reading, watch, { cursor, limit, maxAgeMs: maxAgeMs ?? undefined });
      const { occurrences: events, ...rest } = found;
      return { events, ...rest, nextPollMs: events.length > 0 ? pollAfterEventMs : pollAfterNothingMs };
    },

    async 'events/stream'(params, { call, id, dialect }) {
      const { access, request } = call;
      if (!access.isStream) throw invalid('a request for a stream must be the only message');
      const { name, cursor = null, maxAgeMs, arguments: given } = readRequest('stream', params);
      const watch = await service.readWatch(access.principal, name, given);
      const onFault = (fault: unknown): void => onError(fault, request);
      const reader = { ...access, signal: request.signal, onFault };
      call.stream = await openStream(reader, watch, { cursor, maxAgeMs: maxAgeMs ?? undefined, id, dialect });
      return {};
    },

    'events/subscribe': (params, { call: { access, request }, dialect }) =>
      subscriptions.subscribe(
        { principal: access.principal, dialect, onAnswered: listener => onAnswered(request, listener) },
        params,
      ),

    async 'events/unsubscribe'(params, { call: { access }, dialect }) {
      await subscriptions.unsubscribe({ principal: access.principal, dialect }, params);
      return {};
    },
  };

  return ({ server }, call) => {
    // The library’s type of capabilities has no `events`.
    const capabilities = { events: {}, extensions: { [extensionName]: {} } };
    server.registerCapabilities(capabilities);
    for (const [name, method] of Object.entries(methods))
      server.setRequestHandler(name, { params: anything }, async (params, { mcpReq: { envelope, signal, id } }) => {
        const meta = envelope as Record<string, unknown> | undefined;
        const dialect = dialectOf(meta?.[CLIENT_CAPABILITIES_META_KEY]);
        try {
          return await method(params, { call, signal, id, dialect });
        } catch (error) {
          // Work that ended because the client disconnected is not an error.
          const onFault = (fault: unknown): void => {
            if (fault !== signal.reason) onError(fault, call.request);
          };
          const { code, message, data } = toRpcError(error, dialect, onFault);
          throw new ProtocolError(code, message, data);
        }
      });
  };
}

/** Each method reads its parameters itself, so that its errors are the same as in the REST API. */
const anything = {
  '~standard': { version: 1, vendor: 'hooktape', validate: (value: unknown) => ({ value }) },
} as const;

/** @throws invalid */
function readRequest<N extends keyof typeof eventRequests>(name: N, params: unknown): EventRequest<N> {
  const found = readFields(eventRequests[name], params ?? {});
  if ('value' in found) return found.value as EventRequest<N>;
  throw invalidFields(found.problems);
}
