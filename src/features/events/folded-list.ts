/*
 * The list with one row per delivery: its newest attempt; in a filtered list, its newest matching attempt. A page is computed for
 * the events that were stored when the first page was read, so an attempt that arrives between two pages does not move its
 * delivery, and each is listed once.
 */

import { decodeNumber, encodeNumber } from '../../core/encoding/base32.ts';
import { decodeCursor, encodeCursor, type Position } from '../../core/ids/cursor.ts';
import { contentGapMs, hasGaps } from '../../core/ids/delivery-key.ts';
import { type Attempts, byReceipt } from './attempts.ts';
import type { AttemptsStore, ListedRow, Scope } from './attempts-store.ts';
import type { DeliveryGroup } from './long-deliveries.ts';

/** Reads the next positions of the list. `next`: where a search stopped because its budget was spent. */
export type ReadList = (
  after: Position | undefined,
  limit: number,
) => Promise<{ found: readonly Position[]; next: Position | undefined }>;

/** How to read a filtered list. `matching`: the events among these that are in the list. */
export type Filtered = { read: ReadList; matching: (seqs: number[]) => Promise<readonly Position[]> };

/** `upTo`: the highest row number when the first page was read. */
export type FoldedPosition = { after: Position | undefined; upTo: number };

export type FoldedPage = { shown: Position[]; next: Position | undefined; isCut: boolean };

const letters = 11;
export const encodeFoldedCursor = (after: Position, upTo: number): string =>
  encodeCursor(after) + encodeNumber(upTo, letters);

/** Undefined for anything that `encodeFoldedCursor` cannot have made. */
export function decodeFoldedCursor(cursor: string): { after: Position; upTo: number } | undefined {
  const after = decodeCursor(cursor.slice(0, -letters));
  const upTo = decodeNumber(cursor.slice(-letters));
  return after && cursor.length > letters && upTo !== undefined ? { after, upTo } : undefined;
}

/** The most rows of one read, while a delivery with many attempts fills the list. */
const maxRowsAtOnce = 2000;
/** A page ends after this time, so that a client can show the progress. */
const budgetMs = 250;

/** What one page has seen of the list. */
function createSeen() {
  const keys = new Set<string>();
  /** By the number of a delivery: when its last attempt so far was received. */
  const last = new Map<number, number>();
  return {
    /**
     * Whether the row is another attempt of a delivery that the page has seen. Some rows can be decided only with the attempts of
     * the delivery.
     */
    isRepeated({ delivery, receivedAt }: ListedRow): boolean {
      const newer = delivery === null ? undefined : last.get(delivery);
      if (delivery !== null) last.set(delivery, receivedAt);
      if (delivery === null || newer === undefined) return false;
      return !hasGaps(delivery) || newer - receivedAt <= contentGapMs;
    },
    /** @returns whether the delivery is new to the page */
    add: ({ key }: DeliveryGroup): boolean => keys.size < keys.add(key).size,
  };
}

export function createFoldedList(options: {
  store: Pick<AttemptsStore, 'listed' | 'rows' | 'lastAttempt'>;
  attempts: Pick<Attempts, 'groupsOf'>;
  monotonic: () => number;
}) {
  const { store, attempts, monotonic } = options;

  /** The attempts of the delivery on earlier pages. */
  const passed = async (
    scope: Scope,
    { number, attempts: all, isCut }: DeliveryGroup,
    { after, upTo }: FoldedPosition,
  ): Promise<Position[]> => {
    if (!after) return [];
    const last = isCut ? await store.lastAttempt(scope, number, upTo) : undefined;
    return [...all, ...(last ? [last] : [])].filter(one => one.seq <= upTo && byReceipt(one, after) >= 0);
  };

  /** Whether an earlier page has listed the delivery. */
  const wasListed = async (
    scope: Scope,
    group: DeliveryGroup,
    position: FoldedPosition,
    filtered: Filtered | undefined,
  ): Promise<boolean> => {
    const newer = await passed(scope, group, position);
    if (newer.length === 0) return false;
    return !filtered || (await filtered.matching(newer.map(({ seq }) => seq))).length > 0;
  };

  const read = async (scope: Scope, position: Position | undefined, limit: number, filtered: Filtered | undefined) => {
    if (!filtered) {
      const rows = await store.listed(scope, position, limit);
      return { rows, next: rows.length < limit ? undefined : rows.at(-1), isCut: false };
    }
    const { found, next } = await filtered.read(position, limit);
    const rows = await store.rows(
      scope,
      found.map(({ seq }) => seq),
    );
    rows.sort((a, b) => byReceipt(b, a));
    return { rows, next: next ?? (found.length < limit ? undefined : found.at(-1)), isCut: next !== undefined };
  };

  /** The next deliveries of the list, at most `limit`. `next`: the position after which the next page begins. */
  return async (
    scope: Scope,
    position: FoldedPosition,
    limit: number,
    filtered: Filtered | undefined,
  ): Promise<FoldedPage> => {
    const deadline = monotonic() + budgetMs;
    const seen = createSeen();
    const shown: Position[] = [];
    let atOnce = limit + 1;
    for (let after = position.after; ; ) {
      const { rows, next, isCut } = await read(scope, after, atOnce, filtered);
      const candidates = rows.filter(row => row.seq <= position.upTo && !seen.isRepeated(row));
      const groups = await attempts.groupsOf(scope, candidates);
      for (const row of candidates) {
        const group = groups.get(row.seq);
        if (!group || !seen.add(group) || (await wasListed(scope, group, position, filtered))) continue;
        if (shown.length === limit) return { shown, next: shown.at(-1), isCut: false };
        shown.push({ receivedAt: row.receivedAt, seq: row.seq });
      }
      if (!next || isCut || monotonic() >= deadline) return { shown, next, isCut: next !== undefined };
      after = next;
      if (candidates.length < rows.length / 2) atOnce = Math.min(2 * atOnce, maxRowsAtOnce);
    }
  };
}
