/* The tool `wait_for_event`: the next events of the feed after a cursor, waiting for the first of them. */
import type { Clock } from '../../core/clock.ts';
import type { Semaphore } from '../../core/concurrency/semaphore.ts';
import type { FeedService } from '../feed/service.ts';
import { fitSummaries, type ToolContext } from './answer-size.ts';
import { defaultWaitSeconds, type Input, maxListed, notice, type Output } from './model.ts';

export function createWaitForEvent(options: {
  readFeed: FeedService['page'];
  clock: Pick<Clock, 'monotonic'>;
  /** Limits the waiting calls of each account. */
  waitSemaphore: Semaphore;
}) {
  const { readFeed, clock, waitSemaphore } = options;

  /**
   * @throws invalid for the cursor and the filter, not_found, unauthorized when access ends during the wait, rate_limited when the
   * account already waits in many calls, unavailable during shutdown
   */
  return async (
    { principal, recheck, signal }: ToolContext,
    given: Input<'wait_for_event'>,
  ): Promise<Output<'wait_for_event'>> => {
    const { endpointId, cursor = 'now', where = '', timeoutSeconds = defaultWaitSeconds } = given;
    const until = clock.monotonic() + timeoutSeconds * 1000;
    for (let after = cursor; ; ) {
      const waitMs = Math.max(0, until - clock.monotonic());
      const page = await readFeed(
        { principal, recheck, signal },
        { endpointId, after, where, limit: maxListed, waitMs, waitSemaphore },
      );
      // A filtered read that takes long returns without events before it has reached the end.
      if (page.events.length === 0 && page.more && waitMs > 0 && !signal?.aborted) {
        after = page.cursor;
        continue;
      }
      const { events } = page;
      return { notice, ...fitSummaries(events), cursor: page.cursor, timedOut: events.length === 0 };
    }
  };
}
