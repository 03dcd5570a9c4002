/*
 * One attempt of a forward. The caller records accepted attempts together with the settled item; other attempts leave no row.
 * Headers that the forward adds are not an edit of the event, but a stored secret does not sign an event with such headers.
 */
import type { InStatement } from '@libsql/client';
import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import type { CreateSlices } from '../../core/concurrency/time-slices.ts';
import { hopsHeader, maxHops } from '../../core/forward.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { isSuccess } from '../../core/network/destination.ts';
import { keepRequest } from '../../core/replay/kept-request.ts';
import type { Outbound } from '../../net/outbound.ts';
import type { StoredEvent } from '../events/reading.ts';
import type { PrepareRequest } from './prepare.ts';
import type { ReplaysStore } from './store.ts';

export type ForwardAttempt = TeamAccess & {
  /** The account that created the forward. */
  accountId: string | null;
  /** The row number of the forward. */
  forward: number;
  /** How many attempts this makes, with earlier ones. */
  attempts: number;
  url: string;
  sign: 'as-captured' | 'fresh';
  headers: readonly HeaderPair[];
  timeoutMs: number;
  signal: AbortSignal;
};

export type ForwardAttemptResult =
  | { kind: 'answered'; status: number; headers: readonly HeaderPair[]; durationMs: number; recorded: InStatement }
  | { kind: 'failed'; reason: string }
  /** Nothing was sent. */
  | { kind: 'refused'; reason: string };

export type ForwardAttemptOptions = {
  store: Pick<ReplaysStore, 'recordAcceptanceStatement'>;
  /** Runs the work with the event in memory, within the budget for large events. */
  withStored: <T>(
    principal: MemberAccess,
    id: string,
    use: (event: StoredEvent) => Promise<T>,
    signal?: AbortSignal,
  ) => Promise<T>;
  prepare: PrepareRequest;
  send: Outbound['send'];
  clock: Pick<Clock, 'now'>;
  createSlices: CreateSlices;
  onAttempt?: (result: 'ok' | 'not_ok' | 'failed') => void;
};

export function createForwardAttempt(options: ForwardAttemptOptions) {
  const { store, withStored, prepare, send, clock, createSlices, onAttempt } = options;
  const attempt = async (forward: ForwardAttempt, event: StoredEvent): Promise<ForwardAttemptResult> => {
    const { accountId, url, timeoutMs, signal } = forward;
    const hops = hopsOf(event.headers);
    if (hops >= maxHops)
      return { kind: 'refused', reason: `it was forwarded ${maxHops} times on its way here: this may be a loop` };
    const isFresh = forward.sign === 'fresh';
    const request = prepare({ app: undefined }, event, {
      url,
      ...(isFresh && { sign: { mode: 'fresh' as const } }),
      ...(isFresh && forward.headers.length > 0 && { edit: { headers: forward.headers.map(([n, v]) => [n, v]) } }),
    });
    const headers = withOwn(request.headers, [...forward.headers, [hopsHeader, `${hops + 1}`]]);
    const outcome = await send({
      url: request.url,
      method: request.method,
      headers,
      body: request.body,
      timeoutMs,
      signal,
      // Only the status and the headers count. A short body is read to its end, so that the destination does not see an aborted
      // connection.
      previewBytes: 4096,
    });
    if (outcome.kind === 'refused') return outcome;
    if (outcome.kind === 'unreachable') {
      onAttempt?.('failed');
      return { kind: 'failed', reason: outcome.reason };
    }
    const { status, durationMs } = outcome;
    onAttempt?.(isSuccess(status) ? 'ok' : 'not_ok');
    const ownHeaders = forward.headers.map(([name]) => name);
    const kept = await keepRequest(event, { ...request, headers }, { ownHeaders, yieldIfDue: createSlices() });
    const accepted = { accountId, destination: url, status, durationMs, createdAt: clock.now(), request: kept };
    const recorded = store.recordAcceptanceStatement(event.row, {
      ...accepted,
      signed: request.isSigned,
      forward: forward.forward,
      attempts: forward.attempts,
    });
    return { kind: 'answered', status, headers: outcome.headers, durationMs, recorded };
  };

  /**
   * @throws not_found, damaged, invalid for an event that cannot be signed, forbidden for an event that may not be signed,
   * rate_limited and overloaded while memory for large events is short
   */
  return ({ accountId, ...forward }: ForwardAttempt, id: string): Promise<ForwardAttemptResult> =>
    withStored(
      { ...forward, accountId: accountId ?? forward.teamId },
      id,
      event => attempt({ ...forward, accountId }, event),
      forward.signal,
    );
}

/** How often the event has been forwarded: the highest value of its headers. */
function hopsOf(headers: readonly HeaderPair[]): number {
  const counts = headers
    .filter(([name]) => name.toLowerCase() === hopsHeader)
    .flatMap(([, value]) => value.split(','))
    .map(value => (/^\s*\d{1,9}\s*$/.test(value) ? Number(value) : 0));
  return Math.max(0, ...counts);
}

/** Adds the forward's headers, which replace captured ones of the same name. */
function withOwn(headers: readonly HeaderPair[], own: readonly HeaderPair[]): HeaderPair[] {
  const names = new Set(own.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...own];
}
