/* The client of a Hooktape server. */
import { type Api, type ApiOptions, type CallOptions, createApi } from './api.ts';
import type {
  Endpoint,
  EndpointList,
  EventDetail,
  Ok,
  ReplayDryRun,
  ReplayEdit,
  ReplayResult,
  ReplaySign,
} from './api-types.ts';
import { EndpointClient } from './endpoint.ts';

export type { ApiOptions as HooktapeOptions, CallOptions } from './api.ts';
export type * from './api-types.ts';
export type { Duration } from './duration.ts';
export { EndpointClient, type FeedOptions } from './endpoint.ts';
export { ApiError, ConnectionError, HooktapeError, type NearEvent, NotArrivedError } from './errors.ts';
export { bodyBytes, type CapturedEvent } from './event.ts';
export type { CaptureOptions, WaitOptions } from './waiting.ts';

type SendDestination =
  | {
      /** An http or https URL. The server must be allowed to reach it (HOOKTAPE_REPLAY_ALLOW). */
      to: string;
      listener?: undefined;
    }
  | {
      to?: undefined;
      /** The name of a connected `hooktape listen`, which sends the event to its own target. */
      listener: string;
    };

export type SendOptions = CallOptions &
  SendDestination & {
    sign?: ReplaySign | undefined;
    edit?: ReplayEdit | undefined;
    /** Appends the event's original path and query. */
    appendPath?: boolean | undefined;
  };

/** The server waits up to HOOKTAPE_REPLAY_TIMEOUT, 30 s by default, for the destination. */
const sendTimeoutMs = 120_000;

export class Hooktape {
  readonly #api: Api;

  /** @throws TypeError for a url or key that cannot be used */
  constructor(options: ApiOptions) {
    this.#api = createApi(options);
  }

  readonly endpoints = {
    create: ({ name }: { name: string }, options: CallOptions = {}): Promise<Endpoint> =>
      this.#api('POST', '/api/endpoints', { ...options, body: { name } }),

    list: async (options: CallOptions = {}): Promise<Endpoint[]> =>
      (await this.#api<EndpointList>('GET', '/api/endpoints', options)).endpoints,

    get: (id: string, options: CallOptions = {}): Promise<Endpoint> =>
      this.#api('GET', `/api/endpoints/${encodeURIComponent(id)}`, options),

    /**
     * Deletes an endpoint with all its events.
     * @param options pinned: delete it even if some events are pinned; otherwise that is 409
     */
    delete: (id: string, { pinned = false, signal }: CallOptions & { pinned?: boolean } = {}): Promise<Ok> =>
      this.#api('DELETE', `/api/endpoints/${encodeURIComponent(id)}`, {
        signal,
        query: { pinned: pinned ? 'true' : undefined },
      }),
  };

  /** Makes no request. @param endpoint its id, or a result of `create` or `list` */
  endpoint(endpoint: string | Pick<Endpoint, 'id'>): EndpointClient {
    return new EndpointClient(this.#api, typeof endpoint === 'string' ? endpoint : endpoint.id);
  }

  /** Everything about an event. */
  event(id: string, options: CallOptions = {}): Promise<EventDetail> {
    return this.#api('GET', `/api/events/${encodeURIComponent(id)}`, options);
  }

  /**
   * The server sends an event to `to`, or has a listener send it. An error status of the destination is a result, not an error.
   * @throws ApiError; its status is 502 if the destination cannot be reached, or if no such listener is connected
   */
  send(eventId: string, options: SendOptions & { dryRun: true }): Promise<ReplayDryRun>;
  send(eventId: string, options: SendOptions & { dryRun?: false }): Promise<ReplayResult>;
  send(
    eventId: string,
    { to, signal, ...rest }: SendOptions & { dryRun?: boolean },
  ): Promise<ReplayResult | ReplayDryRun> {
    const path = `/api/events/${encodeURIComponent(eventId)}/replay`;
    return this.#api('POST', path, { signal, timeoutMs: sendTimeoutMs, body: { url: to, ...rest } });
  }
}
