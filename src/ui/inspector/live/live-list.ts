/* The state of an endpoint's event list. Every event is listed once; adding one at either end takes constant time; a pause holds new ones. */

import type { EventPage, EventSummary } from '../../../features/events/model.ts';
import { isRetryable } from '../../kit/api.ts';

export type LiveListOptions = {
  /** One row per delivery: a new attempt takes the place of the one before, at the top. */
  isFolded: boolean;
  fetchPage: (cursor: string | undefined) => Promise<EventPage>;
  /** For a search: while all hits fit on one page, those on whole values come first. */
  isWhole?: ((event: EventSummary) => boolean) | undefined;
  onChange: () => void;
};

export type LiveList = ReturnType<typeof createLiveList>;
export type LiveListState = ReturnType<LiveList['state']>;

/** A long search goes on by itself for this many pages. Each takes the server about a quarter of a second. */
const maxCutPages = 20;

const maxGrouped = 100;

/** While paused, the list keeps this many new events at most. If there are more, it is reloaded when it resumes. */
const maxHeld = 5000;

export function createLiveList({ isFolded, fetchPage, isWhole, onChange }: LiveListOptions) {
  /** New events, oldest first, so that adding one is a push. The last one is row 0. */
  let newer: EventSummary[] = [];
  let older: EventSummary[] = [];
  let held: EventSummary[] = [];
  /** New events that were too many to be held. */
  let notHeldCount = 0;
  /** Ids of the events in `newer`, `older` and `held`. */
  let knownIds = new Set<string>();
  /** With one row per delivery: the keys of those in `newer` and `older`. */
  let knownKeys = new Set<string>();
  let cursor: string | null = null;
  let phase: 'loading' | 'ready' | 'failed' = 'loading';
  let problem = '';
  let failures = 0;
  let [isPaused, isLoadingMore, isGrouped, isClosed] = [false, false, false, false];
  let arrivedDuringRefresh: Map<string, EventSummary> | undefined;
  /** More than a page of new events was found while paused: the list is reloaded when it resumes. */
  let hasGap = false;
  let searchedTo: number | null = null;
  /** Pages in a row that the server cut short because the search took long. */
  let cutPages = 0;
  let targetLength = 0;
  let revision = 0;

  const length = (): number => newer.length + older.length;
  const notify = (): void => {
    if (!isClosed) onChange();
  };
  const at = (index: number): EventSummary | undefined =>
    index < newer.length ? newer[newer.length - 1 - index] : older[index - newer.length];

  /** Loads the first page. On a retry the previous problem stays visible until the page is loaded. */
  const start = async (): Promise<void> => {
    if (phase !== 'failed') phase = 'loading';
    notify();
    try {
      reset(await fetchPage(undefined));
    } catch (error) {
      phase = 'failed';
      failures = isRetryable(error) ? failures + 1 : 0;
      problem = error instanceof Error ? error.message : "Couldn't load the events.";
    }
    notify();
  };

  /**
   * Adds the new events of the newest page, or starts over after a gap. All before `missedSince` is known. False: call it again.
   * @param startsOver in any case
   */
  const refresh = async (missedSince = 0, startsOver = false): Promise<boolean> => {
    if (arrivedDuringRefresh) return false;
    const arrived = new Map<string, EventSummary>();
    arrivedDuringRefresh = arrived;
    try {
      const page = await fetchPage(undefined);
      // Missed events may be below an event that the stream brought in between.
      const overlap = page.events.findIndex(({ id }) => knownIds.has(id) && !arrived.has(id));
      // A page that was cut short has all that was missed if it reaches back to it.
      const hasArrivals = page.scannedTo !== null && page.scannedTo <= missedSince;
      const isGap = startsOver || (overlap < 0 && page.nextCursor !== null && !hasArrivals);
      if (isGap && !isPaused) {
        reset(page);
        for (const event of arrived.values()) addArrival(event);
      } else {
        hasGap ||= isGap;
        for (const event of page.events.slice(0, overlap < 0 ? undefined : overlap).reverse()) addArrival(event);
      }
      return true;
    } catch (error) {
      return !isRetryable(error);
    } finally {
      arrivedDuringRefresh = undefined;
      notify();
    }
  };

  const addArrival = (event: EventSummary): void => {
    if (knownIds.has(event.id)) return;
    knownIds.add(event.id);
    arrivedDuringRefresh?.set(event.id, event);
    if (isPaused) {
      if (isFolded) removeDelivery(held, event);
      held.push(event);
      if (held.length > maxHeld) {
        for (const { id } of held.splice(0, maxHeld / 2)) knownIds.delete(id);
        notHeldCount += maxHeld / 2;
        hasGap = true;
      }
    } else addRow(event);
  };

  const addRow = (event: EventSummary): void => {
    const { key } = event.delivery;
    if (knownKeys.has(key)) {
      const isShown = (one: EventSummary): boolean => one.delivery.key === key;
      const shown = newer.findLast(isShown) ?? older.find(isShown);
      // It arrived late, or a clock was set back: the row has a newer attempt.
      if (shown && shown.receivedAt > event.receivedAt) {
        const { attempts } = event.delivery;
        replace({ ...shown, delivery: { ...shown.delivery, attempt: attempts, attempts } });
        return;
      }
      removeDelivery(newer, event);
      removeDelivery(older, event);
      revision++;
    }
    if (isFolded) knownKeys.add(key);
    newer.push(event);
  };

  const replace = (event: Pick<EventSummary, 'id'> & Partial<EventSummary>): void => {
    const changed = (one: EventSummary): EventSummary => (one.id === event.id ? { ...one, ...event } : one);
    [newer, older, held] = [newer.map(changed), older.map(changed), held.map(changed)];
  };

  const reset = (page: EventPage): void => {
    revision++;
    newer = [];
    older = page.events;
    held = [];
    notHeldCount = 0;
    knownIds = new Set(older.map(event => event.id));
    knownKeys = new Set(isFolded ? older.map(event => event.delivery.key) : []);
    cursor = page.nextCursor;
    searchedTo = page.scannedTo;
    cutPages = 0;
    targetLength = 0;
    hasGap = false;
    failures = 0;
    problem = '';
    phase = 'ready';
    isGrouped = false;
    group();
  };

  const group = (): void => {
    const grouped = isWhole && !isGrouped && cursor === null ? wholeFirst(older, isWhole) : undefined;
    if (!grouped) return;
    older = grouped;
    isGrouped = true;
    revision++;
  };

  const findIndex = (test: (event: EventSummary) => boolean): number => {
    const newerIndex = newer.findLastIndex(test);
    if (newerIndex >= 0) return newer.length - 1 - newerIndex;
    const olderIndex = older.findIndex(test);
    return olderIndex < 0 ? -1 : newer.length + olderIndex;
  };
  const indexOf = (id: string): number => (knownIds.has(id) ? findIndex(event => event.id === id) : -1);
  const isHalted = (): boolean => cursor !== null && cutPages >= maxCutPages;

  /**
   * Loads older pages, one request at a time, until the list has `rows` rows or there are no more. A call during a load only
   * raises the target, so fast scrolling does not wait for a render between pages. After a failure the next call tries again.
   */
  const loadTo = async (rows: number): Promise<void> => {
    targetLength = Math.max(targetLength, rows);
    if (isLoadingMore || isHalted() || phase !== 'ready' || cursor === null || targetLength <= length()) return;
    isLoadingMore = true;
    problem = '';
    notify();
    try {
      while (cursor !== null && !isHalted() && length() < targetLength && !isClosed) {
        const pageCursor: string = cursor;
        const page = await fetchPage(pageCursor);
        // The list was reset during the request, so this page belongs to the previous list.
        if (cursor !== pageCursor) continue;
        for (const event of page.events) {
          if (knownIds.has(event.id) || knownKeys.has(event.delivery.key)) continue;
          knownIds.add(event.id);
          if (isFolded) knownKeys.add(event.delivery.key);
          older.push(event);
        }
        cursor = page.nextCursor;
        searchedTo = page.scannedTo;
        cutPages = page.scannedTo === null ? 0 : cutPages + 1;
        notify();
      }
      group();
    } catch (error) {
      targetLength = 0;
      problem = error instanceof Error ? error.message : "Couldn't load more events.";
    }
    isLoadingMore = false;
    notify();
  };

  /** Takes deleted events out of the list. With one row per delivery, their other attempts get a row. */
  const remove = (ids: readonly string[]): void => {
    const gone = new Set(ids.filter(id => knownIds.has(id)));
    if (gone.size === 0) return;
    const isGone = (one: EventSummary): boolean => gone.has(one.id);
    if (isFolded && [...newer, ...older].some(one => isGone(one) && one.delivery.attempts > 1))
      // After a failure the list stays as it is.
      void fetchPage(undefined)
        .then(reset)
        .then(notify, () => {});
    const isOther = (one: EventSummary): boolean => !isGone(one);
    [newer, older, held] = [newer.filter(isOther), older.filter(isOther), held.filter(isOther)];
    revision++;
    notify();
  };

  return {
    at,
    indexOf,
    /** The row of a delivery, with one row per delivery. */
    indexOfDelivery: (key: string): number =>
      knownKeys.has(key) ? findIndex(({ delivery }) => delivery.key === key) : -1,
    newestId: (): string | undefined => held.at(-1)?.id ?? at(0)?.id,
    state() {
      return {
        phase,
        /** Why the last load failed; empty after a success. */
        problem,
        /** Retryable failures of the first page in a row. */
        failures,
        length: length(),
        heldCount: held.length + notHeldCount,
        isPaused,
        hasMore: cursor !== null,
        isLoadingMore,
        /** How far back a long search has come (epoch ms); null when it is not under way. */
        searchedTo,
        /** The search has come far without filling the list, and waits for `goOn`. */
        isHalted: isHalted(),
        /** Rows added at the top since the first page; a scrolled list moves by this many rows to stay in place. */
        arrivalCount: newer.length,
        /** Changes when rows were taken out or exchanged; not when they were added at either end. */
        revision,
        /** The first rows after the arrivals that are found by a whole value, in a search with few hits; undefined: newest first. */
        wholeCount: isGrouped && isWhole ? older.filter(isWhole).length : undefined,
      };
    },

    start,
    refresh,
    /** Keeps only the newest page, so that a list that is watched for days stays small. Older rows are loaded again on demand. */
    shorten: (): Promise<boolean> => refresh(0, true),

    loadTo,

    goOn(): Promise<void> {
      cutPages = 0;
      return loadTo(length() + 1);
    },

    /** Adds an event from the live stream, which has the same filter. */
    push(event: EventSummary): void {
      if (phase !== 'ready') return;
      addArrival(event);
      notify();
    },

    change(event: Pick<EventSummary, 'id'> & Partial<EventSummary>): void {
      replace(event);
      notify();
    },

    remove,

    setPaused(paused: boolean): void {
      isPaused = paused;
      if (!paused) {
        for (const event of held) addRow(event);
        held = [];
        notHeldCount = 0;
        if (hasGap) return void start();
      }
      notify();
    },
    close(): void {
      isClosed = true;
    },
  };
}

function removeDelivery(rows: EventSummary[], { delivery }: EventSummary): void {
  const index = rows.findLastIndex(one => one.delivery.key === delivery.key);
  if (index >= 0) rows.splice(index, 1);
}

/** Hits on whole values first; undefined where that makes no difference, and for more than a page. */
function wholeFirst(rows: readonly EventSummary[], isWhole: (event: EventSummary) => boolean) {
  const whole = rows.filter(isWhole);
  if (rows.length > maxGrouped || whole.length === 0 || whole.length === rows.length) return undefined;
  return [...whole, ...rows.filter(one => !isWhole(one))];
}
