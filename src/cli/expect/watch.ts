/*
 * Reads the feed from a mark until an expectation is decided. The feed returns every event exactly once, so the command
 * continues at its position if the server restarts. Each wait is one request, because requests are limited.
 */
import type { EventSummary } from '../../features/events/model.ts';
import type { FeedPage } from '../../features/feed/model.ts';
import { termsOf } from '../../shared/filter/filter.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { type Api, RefusedError } from '../client/api.ts';
import { safeLine } from '../client/output.ts';
import { type Io, UnreachableError, UsageError } from '../io.ts';
import { countOf, decide, type Expectation, endOfWait, type Outcome } from './expectation.ts';

export type Watched = {
  outcome: Outcome;
  /** The matching events, in the order in which they were stored. */
  events: EventSummary[];
  /** The start: the mark, or a position instead of `now`. */
  origin: string;
  cursor: string;
  /** Whether retention has removed events after the mark. */
  isTruncated: boolean;
};

const pageSize = 100;
/** The longest wait that the feed allows. */
const maxWaitSeconds = 25;
/** Waits are given in whole seconds, so a wait may end this much too late. */
const toleranceMs = 100;
/** How long a response may take in addition to the requested wait. */
const silenceMs = 20_000;
/** If no server listens, a request fails sooner than this. */
const silenceAtFirstMs = 1000;
/** How often known events are checked again if the filter depends on something that can change. */
const recheckSeconds = 5;
/** If the server is down at the end: how long to wait for it, counted from the first failure. */
const graceMs = 10_000;
const firstPauseMs = 250;
const maxPauseMs = 2000;

type Options = {
  io: Pick<Io, 'clock' | 'sleep' | 'stderr'>;
  api: Pick<Api, 'call'>;
  endpointId: string;
  /** A mark, `start` or `now`. */
  after: string;
  expectation: Expectation;
};

/** @throws UnreachableError, RefusedError, UsageError for a wrong filter or mark */
export async function watch({ io, api, endpointId, after, expectation }: Options): Promise<Watched> {
  const { monotonic } = io.clock;
  const read = createReader({ io, api, endpointId, where: expectation.where });
  const startedAt = monotonic();
  const canChange = mayChange(expectation.where);
  const events = new Map<string, EventSummary>();
  let isTruncated = false;
  let lastArrivalAt = startedAt;
  /** Matching events stored before this time are in `events`. */
  let knownUntil = Number.NEGATIVE_INFINITY;
  let isRecheckDue = false;

  const add = (page: FeedPage): void => {
    for (const event of page.events) {
      if (!events.has(event.id)) lastArrivalAt = monotonic();
      events.set(event.id, event);
    }
    // After `start` nothing is missing: events removed before do not count.
    isTruncated ||= page.truncated && after !== 'start';
  };

  // A position that is the same for every request.
  const origin = after === 'now' ? (await read({ after, seconds: 0, until: startedAt })).page.cursor : after;
  let cursor = origin;

  const follow = async (until: number): Promise<void> => {
    const { page, readUntil } = await read({ after: cursor, until, ...(canChange && { seconds: recheckSeconds }) });
    add(page);
    cursor = page.cursor;
    if (page.more) return;
    if (canChange) isRecheckDue = page.events.length === 0;
    else knownUntil = readUntil;
  };
  const recheck = async (): Promise<void> => {
    const begunAt = monotonic();
    for (let at = origin, more = true; more; ) {
      const { page } = await read({ after: at, seconds: 0, until: begunAt });
      add(page);
      ({ cursor: at, more } = page);
      cursor = at;
    }
    isRecheckDue = false;
    knownUntil = begunAt;
  };

  for (;;) {
    const found = [...events.values()];
    const count = countOf(expectation, found);
    const until = endOfWait(expectation, { startedAt, count, lastArrivalAt });
    const decided = decide(expectation, count, knownUntil >= until - toleranceMs);
    // An exact count can no longer be known.
    const outcome = isTruncated && expectation.kind !== 'at least' && decided !== 'too many' ? 'not met' : decided;
    if (outcome) return { outcome, events: found, origin, cursor, isTruncated };
    if (canChange && (isRecheckDue || monotonic() >= until)) await recheck();
    else await follow(until);
  }
}

/** Whether an event that does not match may match later, for example because a secret or a tag is added. */
function mayChange(where: string): boolean {
  try {
    const changing = ['verdict', 'tag', 'is'];
    return termsOf(parseFilter(where).root).some(term => term.on === 'column' && changing.includes(term.column));
  } catch {
    // The server reports the problem with the filter.
    return false;
  }
}

type Read = {
  after: string;
  until: number;
  /** The longest wait. */
  seconds?: number;
};

/** @returns a function that reads a page, waiting until a time; `readUntil`: all events stored before it were read */
function createReader({ io, api, endpointId, where }: Omit<Options, 'after' | 'expectation'> & { where: string }) {
  const { monotonic } = io.clock;
  const path = `/api/endpoints/${encodeURIComponent(endpointId)}/feed`;
  let hasAnswered = false;
  let failures = 0;
  let awaySince = 0;

  const pause = (): Promise<void> => io.sleep(Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(failures, 10)));

  /** @throws the errors of `watch`, unless a retry may help */
  const afterFailure = async (error: unknown, until: number, startedAt: number): Promise<void> => {
    if (error instanceof RefusedError && error.status === 400 && error.message === 'invalid cursor')
      throw new UsageError('--after: not a mark of this endpoint; get one with `hooktape mark ENDPOINT`');
    const isBusy = error instanceof RefusedError && (error.status >= 500 || error.status === 429);
    // At first, a wrong URL is more likely than a restart. But a server that refuses temporarily, or has kept the request
    // waiting, exists.
    const isPassing =
      isBusy || (error instanceof UnreachableError && (hasAnswered || monotonic() - startedAt > silenceAtFirstMs));
    if (failures === 0) awaySince = monotonic();
    if (!isPassing || startedAt > Math.max(until, awaySince) + graceMs) throw error;
    hasAnswered = true;
    if (failures === 0) io.stderr(`${safeLine((error as Error).message)}; retrying.\n`);
    await pause();
    failures++;
  };

  return async ({
    after,
    until,
    seconds: longest = maxWaitSeconds,
  }: Read): Promise<{ page: FeedPage; readUntil: number }> => {
    for (;;) {
      const startedAt = monotonic();
      const leftMs = Math.max(0, until - startedAt);
      const seconds = Math.min(longest, Math.floor((leftMs + toleranceMs) / 1000));
      // Less than a second is left, but the feed waits for whole seconds.
      const isCut = seconds === 0 && leftMs > 0 && longest > 0;
      const waitMs = isCut ? leftMs : seconds * 1000;
      const signal = AbortSignal.timeout(isCut ? Math.ceil(leftMs) : waitMs + silenceMs);
      const query = { after, where: where || undefined, limit: pageSize, wait: isCut ? 1 : seconds };
      try {
        const page = await api.call<FeedPage>('GET', path, { query, signal });
        hasAnswered = true;
        failures = 0;
        const isWaitOver = page.events.length === 0 && monotonic() - startedAt >= waitMs - toleranceMs;
        // A server that shuts down responds early. Without progress, the request is not repeated at once.
        const isStuck = page.cursor === after || (page.events.length === 0 && !page.more);
        if (isStuck && !isWaitOver) await pause();
        return { page, readUntil: isWaitOver ? startedAt + waitMs : startedAt };
      } catch (error) {
        if (!(isCut && signal.aborted)) await afterFailure(error, until, startedAt);
      }
    }
  };
}
