/*
 * The event list of one endpoint: pages from the API below, arrivals on top, each event once, order kept. Paused, arrivals are held
 * and counted, and nothing that the reader sees moves. It holds 100,000 rows: adding on either side costs nothing but the row.
 */

import { isRetryable } from '../api.ts';
import type { EventPage, EventSummary } from '../wire.ts';

export type LiveListState = {
  phase: 'loading' | 'ready' | 'failed';
  problem: string;
  /** How often in a row the first page failed for a reason that may pass. */
  failures: number;
  length: number;
  /** Arrivals held back while paused. */
  heldCount: number;
  isPaused: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  /** Rows put on top since the first page: a list that is scrolled down moves by these. */
  arrivalCount: number;
};

export type LiveListOptions = {
  q: string;
  fetchPage: (cursor: string | undefined, q: string) => Promise<EventPage>;
  onChange: () => void;
  /** Runs `work` once, some moments later; arrivals under a search ask the server again then. */
  debounce: (work: () => void) => void;
};

export type LiveList = ReturnType<typeof createLiveList>;

export function createLiveList({ q, fetchPage, onChange, debounce }: LiveListOptions) {
  /** Arrivals, oldest first, so that adding one is a push; index 0 of the feed is its end. */
  let newer: EventSummary[] = [];
  let older: EventSummary[] = [];
  /** Ids of all three lists. */
  let known = new Set<string>();
  let held: EventSummary[] = [];
  let cursor: string | null = null;
  let phase: LiveListState['phase'] = 'loading';
  let problem = '';
  let failures = 0;
  let paused = false;
  let loadingMore = false;
  let aim = 0;
  let asking = false;
  let closed = false;
  let missed = false;

  const changed = (): void => {
    if (!closed) onChange();
  };
  const at = (index: number): EventSummary | undefined =>
    index < newer.length ? newer[newer.length - 1 - index] : older[index - newer.length];

  /** Loads the first page. After a failure what is said about it stays until the page is there. */
  const start = async (): Promise<void> => {
    if (phase !== 'failed') phase = 'loading';
    changed();
    try {
      startWith(await fetchPage(undefined, q));
    } catch (error) {
      phase = 'failed';
      failures = isRetryable(error) ? failures + 1 : 0;
      problem = error instanceof Error ? error.message : 'The list could not be loaded.';
    }
    changed();
  };

  /** Reads the newest page and puts what is new on top; more than a page of news starts the list over. */
  const askAgain = async (): Promise<void> => {
    if (asking || closed) return;
    asking = true;
    try {
      const page = await fetchPage(undefined, q);
      const overlap = page.events.findIndex(event => known.has(event.id));
      const gap = overlap < 0 && page.nextCursor !== null;
      if (gap && !paused) return startWith(page);
      // Paused, the list stands still now and starts over when it goes on.
      missed ||= gap;
      const fresh = page.events.slice(0, overlap < 0 ? undefined : overlap).reverse();
      for (const event of fresh) arrive(event);
    } catch {
      // The list on screen stays true as of its time; the next arrival asks again.
    } finally {
      asking = false;
      changed();
    }
  };

  const arrive = (event: EventSummary): void => {
    if (known.has(event.id)) return;
    known.add(event.id);
    (paused ? held : newer).push(event);
  };

  const startWith = (page: EventPage): void => {
    newer = [];
    older = page.events;
    known = new Set(older.map(event => event.id));
    held = [];
    cursor = page.nextCursor;
    aim = 0;
    missed = false;
    failures = 0;
    problem = '';
    phase = 'ready';
  };

  return {
    at,
    indexOf: (id: string): number => {
      if (!known.has(id)) return -1;
      const top = newer.findLastIndex(event => event.id === id);
      if (top >= 0) return newer.length - 1 - top;
      const below = older.findIndex(event => event.id === id);
      return below < 0 ? -1 : newer.length + below;
    },
    newestId: (): string | undefined => held.at(-1)?.id ?? at(0)?.id,
    view: (): LiveListState => ({
      phase,
      problem,
      failures,
      length: newer.length + older.length,
      heldCount: held.length,
      isPaused: paused,
      hasMore: cursor !== null,
      isLoadingMore: loadingMore,
      arrivalCount: newer.length,
    }),

    start,

    /**
     * Loads older pages, one request at a time, until `rows` are there or there are no more. A call while it runs moves the aim only, so
     * that fast scrolling never waits for a paint between two pages. After a problem the next call tries again.
     */
    async loadTo(rows: number): Promise<void> {
      aim = Math.max(aim, rows);
      if (loadingMore || phase !== 'ready' || cursor === null || aim <= newer.length + older.length) return;
      loadingMore = true;
      problem = '';
      changed();
      try {
        while (cursor !== null && newer.length + older.length < aim && !closed) {
          const from: string = cursor;
          const page = await fetchPage(from, q);
          // The list was started over meanwhile: this page hangs on the old one.
          if (cursor !== from) continue;
          for (const event of page.events) {
            if (known.has(event.id)) continue;
            known.add(event.id);
            older.push(event);
          }
          cursor = page.nextCursor;
          changed();
        }
      } catch (error) {
        aim = 0;
        problem = error instanceof Error ? error.message : 'More events could not be loaded.';
      }
      loadingMore = false;
      changed();
    },

    /** An event from the live stream. Under a search only the server knows whether it belongs here. */
    push(event: EventSummary): void {
      if (phase !== 'ready') return;
      if (q !== '') debounce(() => void askAgain());
      else {
        arrive(event);
        changed();
      }
    },
    askAgain,

    pause(on: boolean): void {
      paused = on;
      if (!on) {
        newer = newer.concat(held);
        held = [];
        if (missed) return void start();
      }
      changed();
    },
    close(): void {
      closed = true;
    },
  };
}
