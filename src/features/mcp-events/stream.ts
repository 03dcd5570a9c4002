/*
 * `events/stream`: one response of server-sent events, whose messages are notifications and at last the result of the request. It
 * is a tail (features/notifications/tail.ts): it reads on once the client has received the last messages, so a slow client costs
 * no memory, and it ends soon after access has ended.
 */
import type { Clock } from '../../core/clock.ts';
import type { Semaphore } from '../../core/concurrency/semaphore.ts';
import { AppError } from '../../core/errors.ts';
import { type Dialect, EventsError, type RpcError, toRpcError } from '../../core/mcp-events/errors.ts';
import type { ToolAccess } from '../mcp/server.ts';
import type { NotificationsService } from '../notifications/service.ts';
import type { Tail, TailEnd } from '../notifications/tail.ts';
import type { Watch } from './arguments.ts';
import type { McpEventsService } from './service.ts';
import type { Reading } from './source.ts';

/** The most open streams of one app or API key. */
export const maxStreams = 100;
/** Clients reconnect when they see nothing for twice 30 s. */
const heartbeatMs = 25_000;
/** How many occurrences are read and sent at once. */
const sentTogether = 20;
const retryMs = 2000;

/** The request for a stream. `signal`: aborted when the client disconnects. */
type StreamReader = Omit<ToolAccess, 'isStream'> & { signal: AbortSignal; onFault: (error: unknown) => void };
type StreamRequest = {
  cursor: string | null;
  maxAgeMs: number | undefined;
  /** The id of the JSON-RPC request. */
  id: string | number;
  dialect: Dialect;
};
type Message = { method: string; params: Record<string, unknown> };

/** @throws invalid for the cursor, not_found; EventsError `resource_exhausted` */
export type OpenStream = (
  reader: StreamReader,
  watch: Watch,
  request: StreamRequest,
) => Promise<ReadableStream<Uint8Array>>;

export function createOpenStream(options: {
  service: Pick<McpEventsService, 'positionOf' | 'cursorOf' | 'check' | 'readAfter'>;
  openSource: NotificationsService['openSource'];
  /** Limits the open streams of each app and each API key. */
  semaphore: Semaphore;
  clock: Clock;
}): OpenStream {
  const { service, openSource, semaphore, clock } = options;

  const open = async (reader: StreamReader, watch: Watch, { cursor, maxAgeMs, id, dialect }: StreamRequest) => {
    const { principal, recheck, signal, onFault } = reader;
    await service.check(principal, watch);
    const start = await service.positionOf(principal, watch, cursor);
    const { since } = start;
    // A new client needs nothing that happened before.
    const oldest = maxAgeMs === undefined || cursor === null ? Number.NEGATIVE_INFINITY : clock.now() - maxAgeMs;
    const cursorAt = (seq: number): string => service.cursorOf(principal, watch, { seq, since });
    const toError = (error: unknown): RpcError => toRpcError(error, dialect, onFault);
    const active = (seq: number, truncated: boolean) => message('active', { cursor: cursorAt(seq), truncated });
    const readAfter = (now: Reading['principal'] & { accountId: string }, seq: number, limit: number) => {
      const reading = { principal: now, reader: { ...now, signal, isPatient: true } };
      return service.readAfter(reading, watch, { seq, since, limit, oldest });
    };

    const first = await readAfter(principal, start.seq, sentTogether);
    let isFailing = false;
    const tail = await openSource<Message>({
      principal,
      recheck,
      signal,
      endpointId: watch.endpointId,
      topic: watch.name === 'alert.changed' ? 'alerts' : undefined,
      position: first.seq,
      source: principalNow => ({
        async listAfter(seq, limit) {
          if (isFailing) await new Promise(resolve => setTimeout(resolve, retryMs));
          try {
            const { occurrences, truncated, ...found } = await readAfter(principalNow(), seq, limit);
            isFailing = false;
            const gap = truncated ? [active(seq, true)] : [];
            const events = [...gap, ...occurrences.map(one => message('event', one))];
            return { events, position: found.seq, more: found.hasMore };
          } catch (error) {
            // The tail ends when it checks access.
            if (isNotFound(error) || signal.aborted) return { events: [], position: seq, more: false };
            const events = isFailing ? [] : [message('error', { error: toError(error) })];
            isFailing = true;
            return { events, position: seq, more: true };
          }
        },
      }),
    });
    return {
      tail,
      id,
      first: [active(start.seq, first.truncated), ...first.occurrences.map(one => message('event', one))],
      heartbeat: () => message('heartbeat', { cursor: cursorAt(tail.position()) }),
      terminated: (end: TailEnd): Message[] => {
        // An app whose access token has expired comes back with a new one.
        const { credential, validUntil = Number.POSITIVE_INFINITY } = principal;
        const isExpired = credential.kind === 'app' && clock.now() >= validUntil;
        if (end.reason !== 'access_ended' || (isExpired && !isNotFound(end.error))) return [];
        return [message('terminated', { error: toError(end.error) })];
      },
    };
  };

  return async (reader, watch, request) => {
    const { app, credential } = reader.principal;
    const release = semaphore.tryAcquire(app?.id ?? credential.id);
    if (!release)
      throw new EventsError('resource_exhausted', `at most ${maxStreams} streams`, {
        limit: 'streams',
        max: maxStreams,
      });
    try {
      const opened = await open(reader, watch, request);
      void opened.tail.ended.then(release);
      return toStream(opened);
    } catch (error) {
      release();
      throw error;
    }
  };
}

const isNotFound = (error: unknown): boolean => error instanceof AppError && error.code === 'not_found';

const message = (name: string, params: object): Message => ({
  method: `notifications/events/${name}`,
  params: { ...params },
});

type Opened = {
  tail: Tail<Message>;
  /** The id of the JSON-RPC request. */
  id: string | number;
  first: readonly Message[];
  heartbeat: () => Message;
  /** What a client is sent at the end, before the result. */
  terminated: (end: TailEnd) => readonly Message[];
};

function toStream({ tail, id, first, heartbeat, terminated }: Opened): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  const frame = (content: object): string =>
    `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...content })}\n\n`;
  const encode = (messages: readonly Message[], ...last: object[]): Uint8Array => {
    const frames = messages.map(({ method, params }) => frame({ method, params: { ...params, _meta } }));
    return encoder.encode([...frames, ...last.map(frame)].join(''));
  };

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Sent at once, and with it the status and the headers.
        controller.enqueue(encode(first));
        // An aborted response makes a stalled client reconnect.
        void tail.ended.then(({ reason }) => {
          if (reason === 'stalled') controller.error(new Error('the client of an event stream stalled'));
        });
      },
      async pull(controller) {
        const next = await tail.next({ waitMs: heartbeatMs, limit: sentTogether }).catch((error: unknown) => {
          tail.close();
          throw error;
        });
        if (next.kind === 'events') controller.enqueue(encode(next.events));
        else if (next.kind === 'timeout') controller.enqueue(encode([heartbeat()]));
        else if (next.kind === 'ended' && next.end.reason !== 'stalled') {
          if (next.end.reason !== 'closed')
            controller.enqueue(encode(terminated(next.end), { id, result: { resultType: 'complete', _meta } }));
          controller.close();
        }
      },
      cancel: () => tail.close(),
    },
    { highWaterMark: 1 },
  );
}
