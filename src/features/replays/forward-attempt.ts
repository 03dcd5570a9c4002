/*
 * One attempt of a forward. The caller records accepted attempts together with the settled item; other attempts leave no row.
 * Headers that the forward adds are not an edit of the event, but a stored secret does not sign an event with such headers.
 */
import type { InStatement } from '@libsql/client';
import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import type { CreateSlices } from '../../core/concurrency/time-slices.ts';
import { hopsHeader, maxHops } from '../../core/forward.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { eventId } from '../../core/ids/ids.ts';
import { isSuccess } from '../../core/network/destination.ts';
import { keepRequest } from '../../core/replay/kept-request.ts';
import { webhookHeaders } from '../../core/secrets/standard-webhooks.ts';
import type { Outbound } from '../../net/outbound.ts';
import { signatureMask } from '../../platforms/engine/sign.ts';
import type { ForwardRequest } from '../../shared/forwards.ts';
import type { StoredEvent } from '../events/reading.ts';
import type { PreparedRequest, PrepareRequest } from './prepare.ts';
import { createShapedRequest, type ShapeOptions } from './shaped-request.ts';
import type { ReplaysStore } from './store.ts';

export type ForwardAttempt = TeamAccess & {
  /** The account that created the forward. */
  accountId: string | null;
  /** The row number of the forward. */
  forward: number;
  /** How many attempts this makes, with earlier ones. */
  attempts: number;
  url: string;
  /** What is sent in place of the event. */
  request: ForwardRequest | null;
  /** `secrets`: they sign as Standard Webhooks, the newest first. */
  sign: 'as-captured' | 'fresh' | { secrets: readonly string[] };
  headers: readonly HeaderPair[];
  timeoutMs: number;
  signal: AbortSignal;
};

export type ForwardAttemptResult =
  | { kind: 'answered'; status: number; headers: readonly HeaderPair[]; durationMs: number; recorded: InStatement }
  | { kind: 'failed'; reason: string }
  /** Nothing was sent. */
  | { kind: 'refused'; reason: string };

export type ForwardAttemptOptions = ShapeOptions & {
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
  createSlices: CreateSlices;
  onAttempt?: (result: 'ok' | 'not_ok' | 'failed') => void;
};

export function createForwardAttempt(options: ForwardAttemptOptions) {
  const { store, withStored, prepare, send, clock, createSlices, onAttempt } = options;

  const shape = createShapedRequest(options);

  /** @returns a text if nothing can be sent: why @throws as `createForwardAttempt` */
  const requestFor = (
    forward: ForwardAttempt,
    event: StoredEvent,
  ): PreparedRequest | Promise<PreparedRequest | string> => {
    const { url, sign, request } = forward;
    if (request !== null) return shape(request, event, forward);
    const isFresh = sign === 'fresh';
    return prepare({ app: undefined }, event, {
      url,
      ...(isFresh && { sign: { mode: 'fresh' as const } }),
      ...(isFresh && forward.headers.length > 0 && { edit: { headers: forward.headers.map(([n, v]) => [n, v]) } }),
    });
  };

  const attempt = async (forward: ForwardAttempt, event: StoredEvent): Promise<ForwardAttemptResult> => {
    const { accountId, url, sign, timeoutMs, signal } = forward;
    const hops = hopsOf(event.headers);
    if (hops >= maxHops)
      return { kind: 'refused', reason: `it was forwarded ${maxHops} times on its way here: this may be a loop` };
    const request = await requestFor(forward, event);
    if (typeof request === 'string') return { kind: 'refused', reason: request };
    const signature =
      typeof sign === 'string'
        ? []
        : webhookHeaders(sign.secrets, {
            id: eventId(event.row.seq, event.row.nonce),
            at: clock.now(),
            body: request.body,
          });
    // A sender must not be able to send a signature of its own beside this one.
    const headers = withOwn(request.headers, [...forward.headers, ...signature, [hopsHeader, `${hops + 1}`]]);
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
    const hidden = [...request.hidden, ...signature.slice(-1).map(([, text]) => ({ text, shownAs: signatureMask }))];
    const kept = await keepRequest(
      event,
      { ...request, headers, hidden },
      {
        ownHeaders,
        yieldIfDue: createSlices(),
        ...(request.method !== event.row.method && { method: request.method }),
      },
    );
    const accepted = { accountId, destination: url, status, durationMs, createdAt: clock.now(), request: kept };
    const recorded = store.recordAcceptanceStatement(event.row, {
      ...accepted,
      signed: request.isSigned || signature.length > 0,
      edited: request.isEdited,
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
