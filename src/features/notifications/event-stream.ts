/*
 * A tail as server-sent events (WHATWG HTML section 9.2). The next events are read once the client has received the last ones, so
 * a slow client costs no memory.
 */
import type { EventSummary } from '../events/model.ts';
import type { Tail, TailResult } from './tail.ts';

/*
 * Only a message ends with an empty line: some clients (httpx-sse) take any other empty line for a message without data. The
 * greeting and heartbeats are comment lines of the block that the next message ends.
 */
const greeting = ': connected\nretry: 1000\n';
const heartbeat = ': quiet\n';

const encodeMessage = (event: EventSummary): string =>
  `id: ${event.id}\nevent: event\ndata: ${JSON.stringify(event)}\n\n`;
/** It has no id, so that a client resumes after the last event that it received. */
const encodeChange = (type: 'changed' | 'deleted', data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

const encoder = new TextEncoder();
/** Streams of one endpoint get the same events: each event is encoded once, and so is a list that all streams get. */
const encodedMessages = new WeakMap<EventSummary | readonly EventSummary[], Uint8Array>();

function encodeEvents(events: readonly EventSummary[]): Uint8Array {
  const key = events.length === 1 ? (events[0] as EventSummary) : events;
  let bytes = encodedMessages.get(key);
  if (!bytes) {
    bytes = encoder.encode(events.map(encodeMessage).join(''));
    encodedMessages.set(key, bytes);
  }
  return bytes;
}

function encode(result: Exclude<TailResult, { kind: 'ended' }>): Uint8Array {
  if (result.kind === 'events') return encodeEvents(result.events);
  if (result.kind === 'timeout') return encoder.encode(heartbeat);
  const { changed, removed } = result;
  return encoder.encode(
    [
      ...changed.map(event => encodeChange('changed', event)),
      ...removed.map(id => encodeChange('deleted', { id })),
    ].join(''),
  );
}

/** A stream that ends with its tail, and closes the tail when its client disconnects. */
export function createEventStream(tail: Tail, heartbeatMs: number): ReadableStream<Uint8Array> {
  let isClosed = false;

  const close = (controller: ReadableStreamDefaultController<Uint8Array>, error?: unknown): void => {
    if (isClosed) return;
    isClosed = true;
    tail.close();
    if (error === undefined) controller.close();
    else controller.error(error);
  };

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // The greeting is sent at once, so that the status and the headers are sent with it.
        controller.enqueue(encoder.encode(greeting));
        void tail.ended.then(({ reason }) =>
          // An aborted response makes a stalled client reconnect.
          close(controller, reason === 'stalled' ? new Error('the client of an event stream stalled') : undefined),
        );
      },
      async pull(controller) {
        try {
          const next = await tail.next({ waitMs: heartbeatMs });
          if (isClosed || next.kind === 'ended') return;
          controller.enqueue(encode(next));
        } catch (error) {
          close(controller, error);
        }
      },
      cancel() {
        isClosed = true;
        tail.close();
      },
    },
    { highWaterMark: 1 },
  );
}
