/* The tool `wait_for_event`: the next events after a cursor, waiting for the first of them. */
import type { Semaphore } from '../../core/concurrency/semaphore.ts';
import { decodeCursor, encodeCursor } from '../../core/cursor.ts';
import { AppError, invalid } from '../../core/errors.ts';
import type { NotificationsService } from '../notifications/service.ts';
import { fitSummaries } from './answer-size.ts';
import { defaultWaitSeconds, type Input, maxListed, notice, type Output } from './model.ts';
import type { Agent } from './service.ts';

export function createWaitForEvent(options: {
  openTail: NotificationsService['openTail'];
  /** Limits the waiting calls of each account. */
  waitSemaphore: Semaphore;
}) {
  const { openTail, waitSemaphore } = options;

  /**
   * @param signal aborted when the client disconnects
   * @throws invalid for the cursor, not_found, unauthorized when access ends during the wait, rate_limited when the account already
   * waits in many calls, unavailable during shutdown
   */
  return async (
    agent: Agent,
    given: Input<'wait_for_event'>,
    signal?: AbortSignal,
  ): Promise<Output<'wait_for_event'>> => {
    const { endpointId, cursor, timeoutSeconds = defaultWaitSeconds } = given;
    const position = cursor === undefined ? undefined : decodeCursor(cursor);
    if (cursor !== undefined && !position) throw invalid('invalid cursor');
    const release = waitSemaphore.tryAcquire(agent.accountId);
    if (!release) throw new AppError('rate_limited', 'too many calls are waiting', { retryAfterSeconds: 5 });
    try {
      const tail = await openTail({
        principal: agent,
        endpointId,
        after: position?.seq,
        recheck: async () => ((await agent.recheck()) ? agent : undefined),
        signal,
      });
      const next = await tail.next({ waitMs: timeoutSeconds * 1000, limit: maxListed }).finally(tail.close);
      if (next.kind === 'ended' && next.end.reason === 'access_ended') throw next.end.error;
      const events = next.kind === 'events' ? next.events : [];
      return {
        notice,
        ...fitSummaries(events),
        cursor: encodeCursor({ receivedAt: 0, seq: tail.position() }),
        timedOut: events.length === 0,
      };
    } finally {
      release();
    }
  };
}
