/*
 * Durable queues for requests that are sent later and must survive a restart: replay jobs, forwards, alerts. Each item of a queue is
 * attempted until it is settled: at least once, and by one process at a time.
 */
import type { InStatement } from '@libsql/client';

export type Queue = { seq: number; kind: string; owner: string };

export type QueueItem = {
  seq: number;
  /** The event's row number and the random part of its id; null for work without an event. */
  event: { seq: number; nonce: Uint8Array } | null;
  lane: Uint8Array | null;
  /** The number of earlier attempts. */
  attempts: number;
  /** How often in a row the code that works on it has thrown. */
  errors: number;
  /** Data from its creation or its last attempt. */
  detail: Uint8Array | null;
  /** Epoch ms. */
  addedAt: number;
};

export type NewItem = Pick<QueueItem, 'event'> & {
  /** Items with the same lane are worked on one after the other, in the order in which they were added. */
  lane?: Uint8Array;
  /** Epoch ms; default: now. */
  dueAt?: number;
  detail?: Uint8Array;
};

/** The result of an attempt, kept with the item. `detail` undefined keeps the former one. */
type Seen = { status: number | null; error: string | null; detail?: Uint8Array };

/** `also`: written in the same transaction, or not at all. */
export type WorkResult = { also?: readonly InStatement[] } & (
  | ({ kind: 'settled'; outcome: string } & Seen)
  /** Settled: the item is removed. */
  | { kind: 'removed' }
  /** It is retried after `inMs` at the earliest, at most 25 hours. `errors`: set by the worker when the attempt threw. */
  | ({ kind: 'retry'; inMs: number; errors?: number } & Seen)
  /** The attempt was aborted and does not count. */
  | { kind: 'interrupted' }
);

/** The work on the items of one queue; created when this process begins to work on the queue. */
export type QueueWork = {
  /** The most items at once; called before each start. */
  concurrency: () => number;
  /** A key of the destination and its owner: all queues with the same key send at most 32 items at once. */
  destination: () => string;
  /** The time until the next item may start, in ms; called before each start. */
  startInMs?: (item: QueueItem) => number;
  /** Above 0, nothing starts for this time: once no item is running, the queue is released and is due after it. */
  restMs?: () => number;
  /**
   * Works on one item. An error that it throws is logged, and the item is tried again after a minute, then after longer pauses,
   * until `giveUp` decides after ten errors in a row.
   * @param signal aborted when the server stops or another process may have taken the queue: return `interrupted` if nothing was sent
   */
  work: (item: QueueItem, signal: AbortSignal) => Promise<WorkResult>;
  /** The result of an item for which `work` keeps throwing. */
  giveUp: (item: QueueItem, reason: string) => WorkResult;
  /** Called when the result could not be written, because another process has the queue or this one stops: the item is worked on again. */
  onLost?: (item: QueueItem, result: WorkResult) => Promise<void>;
  /** Called after the result of an item was written. */
  onWritten?: (item: QueueItem, result: WorkResult) => void;
};

export type QueueKind = {
  /** @returns undefined when the owner is gone: the queue is removed */
  open: (owner: string) => Promise<QueueWork | undefined>;
  /** Called when no item is open any more. */
  onEmpty?: (owner: string) => Promise<void>;
};
