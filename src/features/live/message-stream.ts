/*
 * A tail as server-sent events (WHATWG HTML section 9.2). One message batch is in flight at a time: the reader's pace decides
 * when the next is read.
 */
import type { EventSummary } from '../events/model.ts';
import type { Tail } from './tail.ts';

export type MessageStream = {
  body: ReadableStream<Uint8Array>;
  /** For how long the reader has not asked for more. */
  stalledMs: () => number;
  /** Ends it properly. */
  end: () => void;
  /** Breaks it, so that the reader comes back. */
  fail: (error: Error) => void;
};

/*
 * Only a message ends with an empty line: some readers (httpx-sse) take every other empty line for a message without data. The
 * greeting and heartbeats are lines of the block that the next message ends.
 */
const greeting = ': connected\nretry: 1000\n';
const heartbeat = ': quiet\n';

const message = (event: EventSummary): string => `id: ${event.id}\nevent: event\ndata: ${JSON.stringify(event)}\n\n`;

export function createMessageStream(options: {
  tail: Tail;
  monotonic: () => number;
  /** Told once, however it ends. */
  onClosed: () => void;
}): MessageStream {
  const { tail, monotonic, onClosed } = options;
  const encoder = new TextEncoder();
  let control: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isPulling = false;
  let pulledAt = monotonic();
  let isClosed = false;

  /** @returns whether it was still open */
  const close = (): boolean => {
    if (isClosed) return false;
    isClosed = true;
    tail.end();
    onClosed();
    return true;
  };
  const end = (): void => {
    if (close()) control?.close();
  };
  const fail = (error: Error): void => {
    if (close()) control?.error(error);
  };

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        control = controller;
        // Sent at once, so that the status and headers are, too.
        controller.enqueue(encoder.encode(greeting));
      },
      async pull(controller) {
        isPulling = true;
        try {
          const next = await tail.next();
          if (isClosed) return;
          if (next === undefined) end();
          else controller.enqueue(encoder.encode(next === 'quiet' ? heartbeat : next.map(message).join('')));
        } catch (error) {
          fail(error as Error);
        } finally {
          isPulling = false;
          pulledAt = monotonic();
        }
      },
      cancel: () => void close(),
    },
    { highWaterMark: 1 },
  );
  return { body, end, fail, stalledMs: () => (isPulling ? 0 : monotonic() - pulledAt) };
}
