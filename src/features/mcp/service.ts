/*
 * What an AI agent can do: find, read, wait for and send again what was captured. Captured text is hostile input to a model
 * that holds these tools, so an agent sends events only to where a person has sent them before, or the operator allows.
 */

import type { Clock } from '../../core/clock.ts';
import type { Slots } from '../../core/concurrency/slots.ts';
import { decodeCursor, encodeCursor } from '../../core/cursor.ts';
import { AppError, forbidden, invalid, unauthorized } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import { firstCharacters } from '../../core/text.ts';
import type { EndpointsService } from '../endpoints/service.ts';
import type { EventSummary } from '../events/model.ts';
import type { EventsService } from '../events/service.ts';
import type { ReplayResult } from '../replays/model.ts';
import type { Arrivals } from './arrivals.ts';
import {
  defaultBodyCharacters,
  defaultWaitSeconds,
  type Input,
  maxListed,
  maxResultBytes,
  notice,
  type Output,
} from './model.ts';

/** The request that a tool is called in. */
export type ToolContext = {
  principal: Principal;
  /** Whether the credentials of the request are still valid. */
  recheck: () => Promise<boolean>;
  /** Aborted when the client goes away. */
  signal?: AbortSignal | undefined;
};

export type Replaying = {
  /** @throws AppError */
  replay: (principal: Principal, eventId: string, url: string) => Promise<ReplayResult>;
  /** Where events of this endpoint were sent before. */
  isKnownDestination: (endpoint: number, url: string) => Promise<boolean>;
  /** Whether the operator opened this destination for replays. */
  isAllowed: (url: URL) => boolean;
};

export type McpService = ReturnType<typeof createMcpService>;

/** How much of each preview is shown, until the whole fits. */
const previewSteps = [200, 80, 20, 0];
const headerCharacters = 1024;
const headersTotal = 16_384;
const queryCharacters = 4096;
const pathCharacters = 200;
const pollMs = 1000;

/** An answer carries its content twice: as structure, and for older clients as text. */
function answerBytes(value: unknown): number {
  const text = JSON.stringify(value);
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text));
}

/** Summaries that together fit into an answer. */
function fitting(events: readonly EventSummary[]): { events: EventSummary[]; truncated: boolean } {
  const clip = (preview: number, path: number): EventSummary[] =>
    events.map(event => ({
      ...event,
      payloadPreview: firstCharacters(event.payloadPreview, preview),
      path: firstCharacters(event.path, path),
    }));
  for (const characters of previewSteps) {
    const clipped = clip(characters, pathCharacters);
    if (answerBytes(clipped) <= maxResultBytes - 2048)
      return { events: clipped, truncated: characters !== previewSteps[0] };
  }
  return { events: clip(0, 0), truncated: true };
}

/** Header values and their sum are bounded: a sender chooses both. */
function fittingHeaders(headers: Record<string, string>): { headers: Record<string, string>; truncated: boolean } {
  let left = headersTotal;
  let truncated = false;
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    const short = firstCharacters(value, Math.max(0, Math.min(headerCharacters, left)));
    left -= name.length + short.length;
    if (short !== value) truncated = true;
    if (left < 0) truncated = true;
    return left < 0 ? [] : [[name, short]];
  });
  return { headers: Object.fromEntries(kept), truncated };
}

export function createMcpService(options: {
  endpoints: Pick<EndpointsService, 'list' | 'create' | 'owned'>;
  events: Pick<EventsService, 'list' | 'excerpt' | 'endpointOf' | 'newest' | 'after'>;
  arrivals: Arrivals;
  /** undefined where events cannot be sent again. */
  replaying: Replaying | undefined;
  /** Places for waiting calls of each account. */
  slots: Slots;
  /** Other processes write to the same database: look there, too. */
  isShared: boolean;
  clock: Clock;
  baseUrl: string;
}) {
  const { endpoints, events, arrivals, replaying, slots, isShared, clock, baseUrl } = options;

  const page = async (
    { principal }: ToolContext,
    given: Input<'list_events'> & { q?: string },
  ): Promise<Output<'list_events'>> => {
    const { endpointId, limit = 25, cursor, q } = given;
    const { events: found, nextCursor } = await events.list(principal, {
      endpointId,
      limit: String(Math.min(limit, maxListed)),
      ...(cursor !== undefined && { cursor }),
      ...(q !== undefined && { q }),
    });
    return { notice, ...fitting(found), nextCursor };
  };

  /** What came after a position, waiting for the first of it. */
  const arrived = async ({ principal, recheck, signal }: ToolContext, given: Input<'wait_for_event'>) => {
    const endpoint = await endpoints.owned(principal, given.endpointId);
    const known = given.cursor === undefined ? undefined : decodeCursor(given.cursor);
    if (given.cursor !== undefined && !known) throw invalid('cursor is not one that was given out');
    const until = clock.monotonic() + (given.timeoutSeconds ?? defaultWaitSeconds) * 1000;
    const waiter = arrivals.open(endpoint.seq);
    try {
      const newest = await events.newest();
      let position = known ? Math.min(known.seq, newest) : newest;
      for (let isLast = false; ; ) {
        const found = await events.after(principal, endpoint, position, maxListed);
        position = found.position;
        if (found.events.length > 0 || (isLast && !found.more)) return { events: found.events, position };
        if (found.more) continue;
        const left = Math.max(0, until - clock.monotonic());
        const isPoll = isShared && left > pollMs;
        isLast = (await waiter.next(isPoll ? pollMs : left, signal)) === 'timeout' && !isPoll;
        if (signal?.aborted) return { events: [], position };
        // A wait is long enough for the credentials to be revoked meanwhile.
        if (!(await recheck())) throw unauthorized();
        await endpoints.owned(principal, given.endpointId);
      }
    } finally {
      waiter.close();
    }
  };

  return {
    async list_endpoints({ principal }: ToolContext): Promise<Output<'list_endpoints'>> {
      const all = await endpoints.list(principal);
      let kept = all.slice(0, 200);
      while (answerBytes(kept) > maxResultBytes - 1024) kept = kept.slice(0, Math.floor(kept.length * 0.8));
      return { endpoints: kept, truncated: kept.length < all.length };
    },

    create_endpoint: (
      { principal }: ToolContext,
      { name }: Input<'create_endpoint'>,
    ): Promise<Output<'create_endpoint'>> => endpoints.create(principal, name),

    list_events: page,

    search_events: (context: ToolContext, given: Input<'search_events'>): Promise<Output<'search_events'>> =>
      page(context, given),

    async get_event({ principal }: ToolContext, given: Input<'get_event'>): Promise<Output<'get_event'>> {
      const { bodyOffset = 0, bodyCharacters = defaultBodyCharacters } = given;
      const window = { offset: bodyOffset, characters: bodyCharacters };
      const event = await events.excerpt(principal, given.eventId, window);
      const { headers, truncated: lacksHeaders } = fittingHeaders(event.headers);
      const make = (body: string): Output<'get_event'> => ({
        notice,
        id: event.id,
        endpointId: event.endpointId,
        eventType: event.eventType,
        platform: event.platform,
        method: event.method,
        receivedAt: event.receivedAt,
        path: firstCharacters(event.path, pathCharacters),
        query: event.query === null ? null : firstCharacters(event.query, queryCharacters),
        headers,
        size: event.size,
        sha256: event.sha256,
        signatureValid: event.signatureValid,
        signatureReason: event.signature?.reason ?? null,
        body,
        bodyEncoding: event.encoding,
        bodyOffset,
        bodyTotal: event.totalCharacters,
        truncated:
          lacksHeaders ||
          bodyOffset > 0 ||
          bodyOffset + body.length < event.totalCharacters ||
          event.path.length > pathCharacters ||
          (event.query?.length ?? 0) > queryCharacters,
        replays: event.replays.slice(0, 5).map(({ destination, status, ok, durationMs, createdAt }) => ({
          destination: firstCharacters(destination, 500),
          status,
          ok,
          durationMs,
          createdAt,
        })),
      });
      // Escapes make a text up to six times as long; halving finds what fits.
      let body = event.text;
      while (body !== '' && answerBytes(make(body)) > maxResultBytes) body = body.slice(0, Math.floor(body.length / 2));
      return make(body);
    },

    /** @throws rate_limited when the account already waits in many calls */
    async wait_for_event(context: ToolContext, given: Input<'wait_for_event'>): Promise<Output<'wait_for_event'>> {
      const release = slots.take(context.principal.accountId);
      if (!release) throw new AppError('rate_limited', 'too many calls are waiting', { retryAfterSeconds: 5 });
      try {
        const { events: found, position } = await arrived(context, given);
        const cursor = encodeCursor({ receivedAt: 0, seq: position });
        return { notice, ...fitting(found), cursor, timedOut: found.length === 0 };
      } finally {
        release();
      }
    },

    /** @throws forbidden for a destination that nobody has used or allowed */
    async replay_event(
      { principal }: ToolContext,
      { eventId, url }: Input<'replay_event'>,
    ): Promise<Output<'replay_event'>> {
      if (!replaying) throw new AppError('unavailable', 'replaying is not available here', { retryAfterSeconds: 60 });
      const endpoint = await events.endpointOf(principal, eventId);
      const destination = URL.parse(url);
      if (!destination || !/^https?:$/.test(destination.protocol)) throw invalid('url must be an http or https URL');
      if (!replaying.isAllowed(destination) && !(await replaying.isKnownDestination(endpoint, url)))
        throw forbidden(
          'an agent may send events only to a destination that a person has replayed this endpoint to before (in the dashboard or by the REST API), or that the operator allows',
        );
      return { notice, ...(await replaying.replay(principal, eventId, url)) };
    },

    async export_link({ principal }: ToolContext, given: Input<'export_link'>): Promise<Output<'export_link'>> {
      const { id } = await endpoints.owned(principal, given.endpointId);
      const format = given.format ?? 'json';
      const query = new URLSearchParams({ format, ...(given.q !== undefined && { q: given.q }) });
      return {
        url: `${baseUrl}/api/endpoints/${id}/export?${query}`,
        fileName: `service-${id}.${format}`,
        authorization: 'Bearer, with an API key or an access token of this account; or a browser that is signed in',
      };
    },
  };
}
