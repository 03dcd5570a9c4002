/*
 * The live connection to one endpoint. It reads the stream with fetch rather than EventSource: so it can resume from a chosen event
 * after the tab was hidden, can tell a lost session from a lost network, and holds no connection in a tab that nobody looks at
 * (browsers allow six to one origin over HTTP/1.1).
 */

import { createParser } from 'eventsource-parser';
import { retryDelayMs } from '../components/retry.ts';
import type { EventSummary } from '../wire.ts';

export type ConnectionState = 'connecting' | 'live' | 'retrying' | 'off';

export type StreamOptions = {
  url: string;
  /** Newest event the reader has; asked again at each connect. */
  lastEventId: () => string | undefined;
  onEvent: (event: EventSummary) => void;
  /** Called after each successful connect. */
  onOpen: () => void;
  onState: (state: ConnectionState) => void;
  /** A status that no retry mends (401, 404): the stream stays off. */
  onRefused: (status: number) => void;
};

const hiddenTabMs = 30_000;

/** Opens the stream and keeps it open until the returned function is called. */
export function openLiveStream(options: StreamOptions): () => void {
  let closed = false;
  let connection: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  const connect = async (): Promise<void> => {
    connection = new AbortController();
    const { signal } = connection;
    options.onState(failures === 0 ? 'connecting' : 'retrying');
    try {
      const lastEventId = options.lastEventId();
      const response = await fetch(options.url, {
        headers: { accept: 'text/event-stream', ...(lastEventId ? { 'last-event-id': lastEventId } : {}) },
        cache: 'no-store',
        signal,
      });
      if (response.status === 401 || response.status === 404) {
        closed = true;
        options.onState('off');
        return options.onRefused(response.status);
      }
      if (response.ok && response.body) {
        failures = 0;
        options.onState('live');
        options.onOpen();
        await readAll(response.body, options.onEvent);
      }
    } catch {
      // Cut or unreachable: the retry below is the answer to both.
    }
    if (closed || signal.aborted) return;
    options.onState('retrying');
    failures += 1;
    timer = setTimeout(connect, retryDelayMs(failures));
  };

  const disconnect = (): void => {
    clearTimeout(timer);
    connection?.abort();
    connection = undefined;
  };

  let hiding: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = (): void => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(disconnect, hiddenTabMs);
    else if (!connection && !closed) void connect();
  };
  document.addEventListener('visibilitychange', onVisibility);
  void connect();

  return () => {
    closed = true;
    clearTimeout(hiding);
    document.removeEventListener('visibilitychange', onVisibility);
    disconnect();
  };
}

const readAll = async (body: ReadableStream<Uint8Array>, onEvent: (event: EventSummary) => void): Promise<void> => {
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event === 'event') onEvent(JSON.parse(data) as EventSummary);
    },
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(decoder.decode(value, { stream: true }));
  }
};
