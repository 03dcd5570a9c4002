/*
 * The end of an endpoint's history, followed. Everything is read from the database by row number, so nothing is missed and
 * nothing comes twice: what is told of arrivals only says where to look. It reads when it is asked for more, so a slow reader
 * costs no memory: what waits is row numbers, and beyond some hundred not even those.
 */
import type { EventSummary } from '../events/model.ts';

export type TailSource = {
  /** Events after a row number, oldest first, and how far that looked. */
  after: (position: number, limit: number) => Promise<{ events: EventSummary[]; position: number; more: boolean }>;
  /** The events with these row numbers, oldest first. */
  those: (seqs: number[]) => Promise<EventSummary[]>;
};

export type Tail = {
  /** The next events, one at least; `quiet` when none came for a while; undefined at the end. */
  next: () => Promise<EventSummary[] | 'quiet' | undefined>;
  /** An event with this row number was stored. */
  recorded: (seq: number) => void;
  /** Others may have stored events, too. */
  look: () => void;
  end: () => void;
};

const pageSize = 100;
const maxPending = 500;

export function createTail(options: {
  source: TailSource;
  /** All up to this row number is known to the reader. */
  position: number;
  quietMs: number;
}): Tail {
  const { source, quietMs } = options;
  let { position } = options;
  let isBehind = true;
  let pending: number[] = [];
  let hasEnded = false;
  let wake: (() => void) | undefined;

  const read = async (): Promise<EventSummary[]> => {
    if (isBehind) {
      isBehind = false;
      const found = await source.after(position, pageSize);
      position = found.position;
      isBehind ||= found.more;
      return found.events;
    }
    const seqs = pending.splice(0, pageSize).filter(seq => seq > position);
    if (seqs.length === 0) return [];
    position = seqs.at(-1) ?? position;
    return source.those(seqs);
  };

  /** @returns whether something woke it */
  const sleep = (): Promise<boolean> =>
    new Promise(resolve => {
      const done = (woken: boolean): void => {
        clearTimeout(timer);
        wake = undefined;
        resolve(woken);
      };
      const timer = setTimeout(done, quietMs, false);
      wake = () => done(true);
    });

  return {
    async next() {
      for (;;) {
        if (hasEnded) return undefined;
        const events = await read();
        if (hasEnded) return undefined;
        if (events.length > 0) return events;
        if (!isBehind && pending.length === 0 && !(await sleep())) return 'quiet';
      }
    },
    recorded(seq) {
      if (pending.length >= maxPending) {
        pending = [];
        isBehind = true;
      } else pending.push(seq);
      wake?.();
    },
    look() {
      isBehind = true;
      wake?.();
    },
    end() {
      hasEnded = true;
      wake?.();
    },
  };
}
