/*
 * Reads the feed from a mark until an expectation is decided. The feed misses nothing and repeats nothing, so a server that restarts
 * in between changes nothing: the command continues where it was. Each wait is one request, because requests are limited.
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
  /** Where it began: the mark, or a position instead of `now`. */
  origin: string;
  cursor: string;
  /** Retention has removed events that came after the mark. */
  isTruncated: boolean;
};

const pageSize = 100;
/** The longest wait that the feed allows. */
const maxWaitSeconds = 25;
/** A wait is given in whole seconds; it may end this much too late. */
const toleranceMs = 100;
/** How long an answer may take beyond the wait that was asked for. */
const silenceMs = 20_000;
/** Where nothing listens, a request fails sooner than this. */
const silenceAtFirstMs = 1000;
/** How often events that are known are looked at again, when the filter is about something that can change. */
const recheckSeconds = 5;
/** How long a server that is away at the end may take to come back, from when it was first away. */
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

  // A position that stays the same when the server is asked again.
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

/** Whether an event that does not match may match later: a secret is registered, a tag is given. */
function mayChange(where: string): boolean {
  try {
    const changing = ['verdict', 'tag', 'is'];
    return termsOf(parseFilter(where).root).some(term => term.on === 'column' && changing.includes(term.column));
  } catch {
    // The server says what is wrong with it.
    return false;
  }
}

type Read = {
  after: string;
  until: number;
  /** The longest wait. */
  seconds?: number;
};

/** @returns reads one page, waiting for it at most until a time; `readUntil`: all that was stored before is in this page or earlier ones */
function createReader({ io, api, endpointId, where }: Omit<Options, 'after' | 'expectation'> & { where: string }) {
  const { monotonic } = io.clock;
  const path = `/api/endpoints/${encodeURIComponent(endpointId)}/feed`;
  let hasAnswered = false;
  let failures = 0;
  let awaySince = 0;

  const pause = (): Promise<void> => io.sleep(Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(failures, 10)));

  /** @throws the errors of `watch`, unless it is worth trying again */
  const afterFailure = async (error: unknown, until: number, startedAt: number): Promise<void> => {
    if (error instanceof RefusedError && error.status === 400 && error.message === 'invalid cursor')
      throw new UsageError('--after: not a mark of this endpoint; `hooktape mark ENDPOINT` prints one');
    const isBusy = error instanceof RefusedError && (error.status >= 500 || error.status === 429);
    // At first, a wrong URL is more likely than a restart; but who refuses for the moment, or has let the request wait, is there.
    const isPassing =
      isBusy || (error instanceof UnreachableError && (hasAnswered || monotonic() - startedAt > silenceAtFirstMs));
    if (failures === 0) awaySince = monotonic();
    if (!isPassing || startedAt > Math.max(until, awaySince) + graceMs) throw error;
    hasAnswered = true;
    if (failures === 0) io.stderr(`${safeLine((error as Error).message)}; trying again.\n`);
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
      // Less than a second is left, and the feed waits for whole ones.
      const isCut = seconds === 0 && leftMs > 0 && longest > 0;
      const waitMs = isCut ? leftMs : seconds * 1000;
      const signal = AbortSignal.timeout(isCut ? Math.ceil(leftMs) : waitMs + silenceMs);
      const query = { after, where: where || undefined, limit: pageSize, wait: isCut ? 1 : seconds };
      try {
        const page = await api.call<FeedPage>('GET', path, { query, signal });
        hasAnswered = true;
        failures = 0;
        const isWaitOver = page.events.length === 0 && monotonic() - startedAt >= waitMs - toleranceMs;
        // A server that shuts down answers early; a request without progress is not repeated at once.
        const isStuck = page.cursor === after || (page.events.length === 0 && !page.more);
        if (isStuck && !isWaitOver) await pause();
        return { page, readUntil: isWaitOver ? startedAt + waitMs : startedAt };
      } catch (error) {
        if (!(isCut && signal.aborted)) await afterFailure(error, until, startedAt);
      }
    }
  };
}
