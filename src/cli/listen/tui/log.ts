/* The view's memory: the newest events with their responses, within limits. Unsettled events are removed last. */
import type { CapturedEvent, DeliveryCause, ListenEvent, TargetResponse, ViewFilter } from '../model.ts';

export type Attempt = {
  /** Counted per event, over all targets and causes, from 1. */
  number: number;
  at: number;
  target: string;
  cause: DeliveryCause;
  /** The number of the attempt at this target, counted by the session. */
  attempt: number;
  answer: TargetResponse;
};

export type TargetState =
  | { kind: 'waiting' }
  | { kind: 'done' | 'failed' | 'stopped'; last: Attempt }
  | { kind: 'retrying' | 'held'; last: Attempt; nextAt: number | null }
  | { kind: 'skipped'; last: Attempt | undefined; reason: string };

export type Row = {
  event: CapturedEvent;
  targets: Map<string, TargetState>;
  /** The newest, oldest first. */
  attempts: Attempt[];
  attemptCount: number;
  /** Advice after a failure. */
  hint: string | undefined;
  isSettled: boolean;
  isPinned: boolean;
  /** Whether body and responses were dropped to save memory. */
  isEmptied: boolean;
  /** Changes with every change of the row. */
  version: number;
};

export type Totals = { received: number; answered: number; failed: number; skipped: number };

export type EventLog = ReturnType<typeof createEventLog>;

const maxRows = 2000;
/** The limit for the bodies and headers of events and responses. */
const maxBytes = 48 << 20;
const maxAttemptsPerRow = 10;

type Content = { headers: CapturedEvent['headers']; body: Uint8Array };

const contentBytes = ({ headers, body }: Content): number =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length, body.length);
const bytesOf = ({ event, attempts }: Row): number =>
  attempts.reduce((sum, { answer }) => sum + contentBytes(answer), contentBytes(event));

const nothing = new Uint8Array();

export function createEventLog(limits = { maxRows, maxBytes }) {
  const all = new Map<string, Row>();
  const totals: Totals = { received: 0, answered: 0, failed: 0, skipped: 0 };
  let shown: Row[] = [];
  let filter: ((event: CapturedEvent) => boolean) | undefined;
  let bytes = 0;

  const rowOf = (event: CapturedEvent, targets: readonly string[]): Row => {
    const known = all.get(event.id);
    if (known) return known;
    const row: Row = {
      event,
      targets: new Map(targets.map(target => [target, { kind: 'waiting' }])),
      attempts: [],
      attemptCount: 0,
      hint: undefined,
      isSettled: false,
      isPinned: false,
      // Late messages about a forgotten event have no body.
      isEmptied: event.body.length === 0 && event.size > 0,
      version: 0,
    };
    all.set(event.id, row);
    bytes += contentBytes(event);
    if (!filter || filter(event)) shown.push(row);
    return row;
  };

  const addAttempt = (row: Row, attempt: Omit<Attempt, 'number'>): Attempt => {
    const numbered = { ...attempt, number: ++row.attemptCount };
    row.attempts.push(numbered);
    bytes += contentBytes(attempt.answer);
    const oldest = row.attempts.length > maxAttemptsPerRow ? row.attempts.shift() : undefined;
    if (oldest) bytes -= contentBytes(oldest.answer);
    return numbered;
  };

  const empty = (row: Row): void => {
    bytes -= bytesOf(row);
    row.event = { ...row.event, query: null, headers: [], body: nothing };
    for (const attempt of row.attempts) attempt.answer = { ...attempt.answer, headers: [], body: nothing };
    row.isEmptied = true;
    row.version++;
  };

  const remove = (row: Row): void => {
    all.delete(row.event.id);
    bytes -= bytesOf(row);
  };

  const keepWithinLimits = (newest: Row): void => {
    if (all.size > limits.maxRows) {
      // A tenth at once, so that the list is not copied for every event.
      const surplus = all.size - limits.maxRows + Math.floor(limits.maxRows / 10);
      const settledFirst = [...all.values()].sort((a, b) => Number(b.isSettled) - Number(a.isSettled));
      for (const row of settledFirst.slice(0, surplus)) if (row !== newest) remove(row);
      shown = shown.filter(row => all.has(row.event.id));
    }
    if (bytes <= limits.maxBytes) return;
    for (const row of all.values()) {
      if (bytes <= limits.maxBytes) return;
      if (row !== newest && !row.isEmptied) empty(row);
    }
  };

  const deliver = (event: Extract<ListenEvent, { kind: 'answered' | 'failed' }>): Row => {
    const { at, target, cause, attempt, answer } = event;
    const row = rowOf(event.event, [target]);
    const last = addAttempt(row, { at, target, cause, attempt, answer });
    if (event.kind === 'answered') {
      totals.answered++;
      row.targets.set(target, { kind: 'done', last });
      row.hint = undefined;
      return row;
    }
    totals.failed++;
    row.hint = event.hint ?? undefined;
    if (event.next === 'retry' || event.next === 'hold') row.isSettled = false;
    // A failed manual delivery leaves the state alone while the automatic one is still being retried or held.
    const before = row.targets.get(target);
    const isByHand = event.next === 'none' && cause !== 'feed';
    if (event.next === 'retry') row.targets.set(target, { kind: 'retrying', last, nextAt: event.nextAt });
    else if (event.next === 'hold') row.targets.set(target, { kind: 'held', last, nextAt: event.nextAt });
    else if (event.next === 'stop') row.targets.set(target, { kind: 'stopped', last });
    else if (isByHand && (before?.kind === 'retrying' || before?.kind === 'held'))
      row.targets.set(target, { ...before, last });
    else row.targets.set(target, { kind: 'failed', last });
    return row;
  };

  const change = (event: ListenEvent): Row | undefined => {
    if (event.kind === 'answered' || event.kind === 'failed') return deliver(event);
    if (event.kind === 'received') {
      totals.received++;
      return rowOf(event.event, event.targets);
    }
    if (event.kind === 'skipped') {
      const { target, reason } = event;
      const row = rowOf(event.event, target === null ? [] : [target]);
      totals.skipped++;
      if (target !== null) row.targets.set(target, { kind: 'skipped', last: row.attempts.at(-1), reason });
      return row;
    }
    if (event.kind !== 'settled') return undefined;
    const row = all.get(event.event.id);
    if (row) row.isSettled = true;
    return row;
  };

  return {
    /** The rows that match the filter, oldest first. */
    rows: (): readonly Row[] => shown,
    find: (eventId: string): Row | undefined => all.get(eventId),
    /** How many are remembered, including events hidden by the filter. */
    count: (): number => all.size,
    totals: totals as Readonly<Totals>,
    /** The oldest row whose target waits for the user or for a retry. */
    stuck: (): Row | undefined => {
      let retrying: Row | undefined;
      for (const row of all.values()) {
        if (row.isSettled) continue;
        for (const { kind } of row.targets.values()) {
          if (kind === 'held') return row;
          if (kind === 'retrying') retrying ??= row;
        }
      }
      return retrying;
    },
    /** Whether something on the screen depends on the time. */
    hasRetries: (): boolean =>
      [...all.values()].some(row =>
        [...row.targets.values()].some(({ kind }) => kind === 'retrying' || kind === 'held'),
      ),
    apply: (event: ListenEvent): void => {
      const row = change(event);
      if (!row) return;
      row.version++;
      keepWithinLimits(row);
    },
    setFilter: (next: Extract<ViewFilter, { isOk: true }> | undefined): void => {
      filter = next?.matches;
      shown = [...all.values()].filter(row => !filter || filter(row.event));
    },
    markPinned: (eventId: string): void => {
      const row = all.get(eventId);
      if (!row) return;
      row.isPinned = true;
      row.version++;
    },
  };
}
