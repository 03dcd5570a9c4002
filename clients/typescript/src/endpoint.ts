/* One endpoint: its feed, waiting for its events, and its custom answers. */
import { createAnswers } from './answers.ts';
import type { Api, CallOptions } from './api.ts';
import type { Endpoint } from './api-types.ts';
import { type CapturedEvent, toCapturedEvent } from './event.ts';
import { feedPages } from './feed.ts';
import { type CaptureOptions, capture, markOf, type WaitOptions, waitFor } from './waiting.ts';

export type FeedOptions = CallOptions & {
  /** The start of the feed: `start` (the default), `now`, a mark, or the `cursor` of an event. */
  after?: string | undefined;
  /** Only events that match this filter. */
  where?: string | undefined;
  /** false: end with the newest stored event instead of waiting for more. Default true. */
  follow?: boolean | undefined;
  /** Called before the feed is read again after a lost connection. */
  onReconnect?: ((error: Error) => void) | undefined;
  /** Called when retention has removed events before they were read. */
  onTruncated?: (() => void) | undefined;
};

export class EndpointClient {
  readonly id: string;
  /** The custom answers of the endpoint. */
  readonly answers: ReturnType<typeof createAnswers>;
  readonly #api: Api;

  constructor(api: Api, id: string) {
    this.#api = api;
    this.id = id;
    this.answers = createAnswers(api, id);
  }

  get(options: CallOptions = {}): Promise<Endpoint> {
    return this.#api('GET', `/api/endpoints/${encodeURIComponent(this.id)}`, options);
  }

  /** The position after the newest event, for `after`. */
  mark(options: CallOptions = {}): Promise<string> {
    return markOf(this.#api, this.id, options);
  }

  /**
   * Marks the position, runs the function, and returns the events that arrived since, in the order in which they were stored.
   * Waits until no more events have arrived for `settle`, at most `within` after the function has returned. @throws
   * NotArrivedError if fewer than `atLeast` arrive, and the errors of the function
   */
  capture(run: () => unknown, options: CaptureOptions = {}): Promise<CapturedEvent[]> {
    return capture(this.#api, this.id, run, options);
  }

  /**
   * The first event that matches the filter. Without `after`, events that are already stored count, too. An empty filter
   * matches all events. @throws NotArrivedError with the events that did arrive
   */
  waitFor(where: string, options: WaitOptions = {}): Promise<CapturedEvent> {
    return waitFor(this.#api, this.id, where, options);
  }

  /**
   * The events in the order in which they were stored, each once, even if the connection breaks or the server restarts. It ends
   * when the loop is left. An aborted `signal` ends a wait at once, with its reason.
   */
  async *feed({
    after = 'start',
    where,
    follow = true,
    ...rest
  }: FeedOptions = {}): AsyncGenerator<CapturedEvent, void, undefined> {
    const { signal, onReconnect, onTruncated } = rest;
    const deadline = (): number => (follow ? Number.POSITIVE_INFINITY : 0);
    const options = { after, where, content: 'full', deadline, signal, onReconnect } as const;
    for await (const { events, truncated } of feedPages(this.#api, this.id, options)) {
      if (truncated) onTruncated?.();
      for (const event of events) {
        signal?.throwIfAborted();
        yield toCapturedEvent(this.id, event);
      }
    }
  }
}
