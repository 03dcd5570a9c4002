/* The live event stream of one endpoint. By fetch instead of EventSource: to resume, to see an expired session, and to leave when hidden. */

import { createParser } from 'eventsource-parser';
import type { EventSummary } from '../../../features/events/model.ts';
import { retryDelayMs } from '../../kit/use-query.ts';

/** `retrying` becomes `off` after three failures in a row; connecting is tried again all the same. */
export type ConnectionState = 'connecting' | 'live' | 'retrying' | 'off';
export type Connection = {
  state: ConnectionState;
  /** When connecting is tried again (epoch ms). Undefined while it is tried. */
  retryAt?: number;
  /** When something last came from the server (epoch ms). */
  lastAt?: number;
};

const failuresUntilOff = 3;

export const failedState = (failures: number): ConnectionState => (failures < failuresUntilOff ? 'retrying' : 'off');

export type StreamOptions = {
  url: string;
  /** The newest event already received; read at every connect. */
  lastEventId: () => string | undefined;
  onEvent: (event: EventSummary) => void;
  /** The pin or the tags of an event have changed. */
  onChanged: (event: EventSummary) => void;
  onDeleted: (id: string) => void;
  /** Until when everything is known at the start, by this machine's clock (epoch ms). */
  knownUntil: number;
  /** Called after each successful connect. `missedSince`: everything before is known, by the server's clock; 0 when that is not clear. */
  onOpen: (missedSince: number) => void;
  onState: (connection: Connection) => void;
  /** The server answered 401 or 404. The stream does not reconnect. */
  onRefused: (status: number) => void;
  /** A connection on which nothing has arrived for this time is dead. The server sends a comment at least every 15 seconds. */
  maxSilenceMs?: number;
};

const hiddenTabMs = 30_000;
const defaultMaxSilenceMs = 20_000;
/** `Date` counts whole seconds. */
const dateResolutionMs = 1000;

/** Opens the stream and keeps it open until the returned function is called. */
export function openLiveStream(options: StreamOptions): () => void {
  let isClosed = false;
  let connection: AbortController | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let lastReadAt = options.knownUntil;

  const connect = async (): Promise<void> => {
    connection = new AbortController();
    const { signal } = connection;
    options.onState({ state: failures === 0 ? 'connecting' : failedState(failures), lastAt: lastReadAt });
    try {
      const lastEventId = options.lastEventId();
      const response = await fetch(options.url, {
        headers: { accept: 'text/event-stream', ...(lastEventId ? { 'last-event-id': lastEventId } : {}) },
        cache: 'no-store',
        signal,
      });
      if (response.status === 401 || response.status === 404) {
        isClosed = true;
        options.onState({ state: 'off' });
        return options.onRefused(response.status);
      }
      if (response.ok && response.body) {
        failures = 0;
        options.onState({ state: 'live' });
        const connectedAt = Date.parse(response.headers.get('date') ?? '');
        options.onOpen(connectedAt - (Date.now() - lastReadAt) - dateResolutionMs || 0);
        await readEvents(response.body, options, () => {
          lastReadAt = Date.now();
        });
      }
    } catch {
      // Disconnected or unreachable: retried below.
    }
    if (isClosed || signal.aborted) return;
    failures += 1;
    const delayMs = retryDelayMs(failures);
    options.onState({ state: failedState(failures), retryAt: Date.now() + delayMs, lastAt: lastReadAt });
    retryTimer = setTimeout(connect, delayMs);
  };

  const disconnect = (): void => {
    clearTimeout(retryTimer);
    connection?.abort();
    connection = undefined;
  };

  let hideTimer: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = (): void => {
    clearTimeout(hideTimer);
    if (document.hidden) hideTimer = setTimeout(disconnect, hiddenTabMs);
    else if (!connection && !isClosed) void connect();
  };
  document.addEventListener('visibilitychange', onVisibility);
  void connect();

  return () => {
    isClosed = true;
    clearTimeout(hideTimer);
    document.removeEventListener('visibilitychange', onVisibility);
    disconnect();
  };
}

async function readEvents(body: ReadableStream<Uint8Array>, options: StreamOptions, onRead: () => void): Promise<void> {
  const { onEvent, onChanged, onDeleted, maxSilenceMs = defaultMaxSilenceMs } = options;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event === 'event') onEvent(JSON.parse(data) as EventSummary);
      else if (event === 'changed') onChanged(JSON.parse(data) as EventSummary);
      else if (event === 'deleted') onDeleted((JSON.parse(data) as { id: string }).id);
    },
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const timer = setTimeout(() => void reader.cancel().catch(() => {}), maxSilenceMs);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    onRead();
    parser.feed(decoder.decode(value, { stream: true }));
  }
}
