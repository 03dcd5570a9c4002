/*
 * Replays stored events. Every attempt is recorded, with the account that made it, before the caller gets the result, also when the
 * caller disconnects. A destination that is not allowed is not an attempt.
 */
import type { Clock } from '../../core/clock.ts';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { readDestination } from '../../core/destination.ts';
import { AppError, invalid, unreachable } from '../../core/errors.ts';
import { eventId } from '../../core/ids.ts';
import { replayPreviewCharacters } from '../../core/limits.ts';
import type { MemberAccess, TeamAccess } from '../../core/principal.ts';
import { replayHeaders } from '../../core/replay-headers.ts';
import { decodeUtf8Leniently, firstCharacters } from '../../core/text.ts';
import type { Outbound } from '../../net/outbound.ts';
import type { StoredEvent } from '../events/service.ts';
import type { ReplayResult } from './model.ts';
import type { ReplaysStore } from './store.ts';

export type ReplaysService = ReturnType<typeof createReplaysService>;

const maxConcurrentReplays = 10;

export function createReplaysService(options: {
  store: ReplaysStore;
  /** The event, when it belongs to the principal's team. @throws not_found, damaged */
  getStored: (principal: TeamAccess, id: string) => Promise<StoredEvent>;
  send: Outbound['send'];
  clock: Clock;
  /** From name resolution to the last byte. */
  timeoutMs: number;
  /** Called for every recorded attempt. `failed`: no answer. */
  onAttempt?: (result: 'ok' | 'not_ok' | 'failed') => void;
}) {
  const { store, getStored, send, clock, timeoutMs, onAttempt } = options;
  const semaphore = createSemaphore(maxConcurrentReplays);
  const running = new Set<Promise<unknown>>();
  const stopping = new AbortController();

  const attempt = async (principal: MemberAccess, id: string, url: string): Promise<ReplayResult> => {
    const { row, headers, body } = await getStored(principal, id);
    const outcome = await send({
      url,
      method: row.method,
      headers: [...replayHeaders(headers), ['x-service-replay', eventId(row.seq, row.nonce)]],
      body,
      timeoutMs,
      signal: stopping.signal,
    });
    if (outcome.kind === 'refused') throw invalid(outcome.reason);
    const { durationMs } = outcome;
    const status = outcome.kind === 'answered' ? outcome.status : null;
    const ok = status !== null && status >= 200 && status <= 299;
    await store.insert({
      event: row.seq,
      accountId: principal.accountId,
      destination: url,
      status,
      ok,
      durationMs,
      createdAt: clock.now(),
    });
    onAttempt?.(ok ? 'ok' : status === null ? 'failed' : 'not_ok');
    if (outcome.kind === 'unreachable') throw unreachable(`the destination could not be reached: ${outcome.reason}`);
    const responsePreview = firstCharacters(decodeUtf8Leniently(outcome.preview), replayPreviewCharacters);
    return { ok, status: outcome.status, durationMs, responsePreview };
  };

  return {
    /**
     * @throws invalid for the destination, rate_limited when the account has too many replays running, not_found for the event,
     * unreachable when there was no answer
     */
    async replay(principal: MemberAccess, id: string, givenUrl: string): Promise<ReplayResult> {
      const release = semaphore.tryAcquire(principal.accountId);
      if (!release)
        throw new AppError('rate_limited', `at most ${maxConcurrentReplays} replays at once`, { retryAfterSeconds: 1 });
      try {
        const work = attempt(principal, id, readDestination(givenUrl));
        running.add(work);
        return await work.finally(() => running.delete(work));
      } finally {
        release();
      }
    },

    /** Aborts running replays, and waits until they are recorded. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.allSettled(running);
    },
  };
}
