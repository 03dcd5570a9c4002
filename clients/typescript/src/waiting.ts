/**
 * Waiting for events: `waitFor` waits for a matching event, `capture` for all events that arrive while a function runs and
 * until no more arrive.
 */
import type { Api, CallOptions } from './api.ts';
import type { FeedPage } from './api-types.ts';
import { type Duration, milliseconds } from './duration.ts';
import { type CapturedEvent, toCapturedEvent } from './event.ts';
import { notArrived } from './explain.ts';
import { feedPages } from './feed.ts';

export type WaitOptions = CallOptions & {
  /** How long to wait. Default `30s`. */
  within?: Duration | undefined;
  /** A mark, or the `cursor` of an event: only events after it count. Default: all events of the endpoint. */
  after?: string | undefined;
};

export type CaptureOptions = CallOptions & {
  /** Only events that match this filter. */
  where?: string | undefined;
  /** Waits until this many events have arrived. It is an error if they have not after `within`. Default 0. */
  atLeast?: number | undefined;
  /** How long no further event must arrive before the result is returned. Default `1s`. */
  settle?: Duration | undefined;
  /** How long to wait after the function has returned. Default `30s`. */
  within?: Duration | undefined;
};

/** The position at the end of the feed. */
export async function markOf(api: Api, endpointId: string, { signal }: CallOptions = {}): Promise<string> {
  const path = `/api/endpoints/${encodeURIComponent(endpointId)}/feed`;
  return (await api<FeedPage>('GET', path, { query: { after: 'now', limit: 1 }, signal })).cursor;
}

/** @throws NotArrivedError */
export async function waitFor(
  api: Api,
  endpointId: string,
  where: string,
  options: WaitOptions = {},
): Promise<CapturedEvent> {
  const { within = '30s', after = 'start', signal } = options;
  const withinMs = milliseconds(within, 'within');
  const end = performance.now() + withinMs;
  for await (const { events } of feedPages(api, endpointId, {
    after,
    where,
    content: 'full',
    deadline: () => end,
    signal,
  }))
    if (events[0]) return toCapturedEvent(endpointId, events[0]);
  throw await notArrived(api, endpointId, { where, after, withinMs, expected: 1, found: 0, signal });
}

/** @throws NotArrivedError if fewer than `atLeast` arrive; the errors of `run` */
export async function capture(
  api: Api,
  endpointId: string,
  run: () => unknown,
  options: CaptureOptions = {},
): Promise<CapturedEvent[]> {
  const { where, atLeast = 0, settle = '1s', within = '30s', signal } = options;
  const settleMs = milliseconds(settle, 'settle');
  const withinMs = milliseconds(within, 'within');
  const after = await markOf(api, endpointId, { signal });
  await run();
  const captured: CapturedEvent[] = [];
  let quietSince = performance.now();
  const end = quietSince + withinMs;
  const deadline = (): number => (captured.length < atLeast ? end : Math.min(end, quietSince + settleMs));
  for await (const { events } of feedPages(api, endpointId, { after, where, content: 'full', deadline, signal })) {
    if (events.length === 0) continue;
    captured.push(...events.map(event => toCapturedEvent(endpointId, event)));
    quietSince = performance.now();
  }
  if (captured.length >= atLeast) return captured;
  const found = captured.length;
  throw await notArrived(api, endpointId, { where: where ?? '', after, withinMs, expected: atLeast, found, signal });
}
