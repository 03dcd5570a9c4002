/*
 * Determines which attempt of its delivery an event is. This is computed on reading, from the events visible at that time, so
 * removed attempts do not count. Attempts are ordered by time of receipt, then by row number.
 *
 * Events with the same sender's id are one delivery, however far apart. Events that are matched by content are one delivery if
 * each arrives within 72 hours of the previous one. Counting stops at 100: in a longer delivery (from a client that polls an
 * address, say), the first 100 attempts by row number are numbered, and every later one is attempt 100 of 100. Then events with
 * the same content are one delivery, even with longer gaps.
 */

import type { Position } from '../../core/ids/cursor.ts';
import {
  basisOf,
  contentGapMs,
  type DeliveryBasis,
  decodeDeliveryKey,
  encodeDeliveryKey,
  hasGaps,
  numberOfRow,
  uncomputedRow,
} from '../../core/ids/delivery-key.ts';
import type { Attempt, AttemptsStore, ListedRow, Scope } from './attempts-store.ts';
import type { DeliveryGroup } from './long-deliveries.ts';
import { createLongDeliveries, type LongDeliveries } from './long-deliveries.ts';

export const maxAttempts = 100;
/** The most attempts of several deliveries in one read. Beyond that, each delivery is read on its own. */
const maxReadTogether = 8 * maxAttempts;

/** `attempt`: from 1 in order of receipt. `attempts`: how many there are. */
export type AttemptNumbers = { attempt: number; attempts: number };
export type DeliveryPlace = AttemptNumbers & { key: string; basis: DeliveryBasis };

export const byReceipt = (a: Position, b: Position): number => a.receivedAt - b.receivedAt || a.seq - b.seq;

/**
 * @param rows the attempts of the delivery, in order of receipt
 * @param seq the event's row number, which is one of `rows`, or one of the rows that a cut group leaves out
 */
function placeIn(
  { number, key, rows }: { number: number; key: string; rows: readonly number[] },
  seq: number,
): DeliveryPlace {
  const index = rows.indexOf(seq);
  return { key, basis: basisOf(number), attempt: index < 0 ? maxAttempts : index + 1, attempts: rows.length };
}

const placeInGroup = ({ number, key, attempts }: DeliveryGroup, seq: number): DeliveryPlace =>
  placeIn({ number, key, rows: attempts.map(one => one.seq) }, seq);

export type Attempts = ReturnType<typeof createAttempts>;

export function createAttempts(
  store: Pick<AttemptsStore, 'attempts' | 'firstAttempts' | 'rows'>,
  longDeliveries: LongDeliveries = createLongDeliveries(0),
) {
  /** The attempts with these numbers. For each number, all attempts or `maxAttempts` + 1 of them. */
  const read = async (scope: Scope, numbers: readonly number[]): Promise<Attempt[]> => {
    if (numbers.length === 0) return [];
    const limit = maxReadTogether + 2 * numbers.length;
    const found = await store.attempts(scope, numbers, limit);
    if (found.length < limit) return found;
    const all: Attempt[] = [];
    for (const number of numbers) all.push(...(await store.firstAttempts(scope, number, maxAttempts + 1)));
    return all;
  };

  /** The deliveries with these numbers, by number. */
  const groupsByNumber = async (scope: Scope, numbers: readonly number[]): Promise<Map<number, DeliveryGroup[]>> => {
    const groups = new Map<number, DeliveryGroup[]>();
    const attempts = Map.groupBy(await read(scope, numbers), ({ number }) => number);
    for (const [number, ofNumber] of attempts) groups.set(number, toGroups(number, ofNumber));
    return groups;
  };

  /** The delivery of each of these events of one endpoint, by row number. */
  const groupsOf = async (scope: Scope, rows: readonly ListedRow[]): Promise<Map<number, DeliveryGroup>> => {
    const numbers = new Set(rows.flatMap(({ delivery }) => delivery ?? []));
    const byNumber = await groupsByNumber(scope, [...numbers]);
    const groups = new Map<number, DeliveryGroup>();
    for (const row of rows) {
      const candidates = byNumber.get(row.delivery ?? -1) ?? [];
      const group = candidates.find(({ attempts, isCut }) => isCut || attempts.some(({ seq }) => seq === row.seq));
      // A row of 1.0 that is not packed yet, or an event that has been removed since it was read.
      groups.set(row.seq, group ?? toGroup(numberOfRow(row), [row], false));
    }
    return groups;
  };

  /** Which attempts these events of an endpoint are, by row number. Expired events count until they are swept. */
  const attemptsOf = async (endpoint: number, seqs: readonly number[]): Promise<Map<number, number>> => {
    const scope = { endpoint, since: Number.MIN_SAFE_INTEGER };
    const groups = await groupsOf(scope, await store.rows(scope, seqs));
    return new Map([...groups].map(([seq, group]) => [seq, placeInGroup(group, seq).attempt]));
  };

  return {
    groupsOf,
    attemptsOf,

    /**
     * Which attempt each of these events is, by row number.
     * @param rows events of one endpoint, in any order; up to a few thousand in one call, which looks all of them up together
     */
    async placesOf(scope: Scope, rows: readonly ListedRow[]): Promise<Map<number, DeliveryPlace>> {
      const places = new Map<number, DeliveryPlace>();
      const unknown: ListedRow[] = [];
      for (const row of rows) {
        const long = row.delivery === null ? undefined : longDeliveries.find(scope, row.delivery);
        if (long && row.delivery !== null) places.set(row.seq, placeIn({ number: row.delivery, ...long }, row.seq));
        else unknown.push(row);
      }
      const add = longDeliveries.startReading(scope);
      const groups = await groupsOf(scope, unknown);
      add(new Set(groups.values()));
      for (const [seq, group] of groups) places.set(seq, placeInGroup(group, seq));
      return places;
    },

    /**
     * The delivery with this key; undefined if it has no visible attempt. The key of a delivery that is recognised by its content
     * has the time of its first attempt, and still finds the others after the first was removed.
     */
    async findByKey(scope: Scope, key: string): Promise<DeliveryGroup | undefined> {
      const decoded = decodeDeliveryKey(key);
      if (!decoded) return undefined;
      const { number, since } = decoded;
      const seq = uncomputedRow(number);
      if (seq !== undefined) {
        const [row] = await store.rows(scope, [seq]);
        return row?.delivery === null ? toGroup(number, [row], false) : undefined;
      }
      const groups = (await groupsByNumber(scope, [number])).get(number) ?? [];
      const [group] = groups;
      if (since === undefined || group?.isCut) return groups.at(-1);
      return groups.find(({ attempts }) => {
        const [first, last] = [attempts.at(0)?.receivedAt ?? 0, attempts.at(-1)?.receivedAt ?? 0];
        return since <= last && first <= since + contentGapMs;
      });
    },
  };
}

/** @param attempts all attempts with this number, or `maxAttempts` + 1 of them */
function toGroups(number: number, attempts: readonly Attempt[]): DeliveryGroup[] {
  const inOrder = attempts.toSorted(byReceipt);
  if (inOrder.length > maxAttempts) return [toGroup(number, inOrder.slice(0, maxAttempts), true)];
  if (!hasGaps(number)) return [toGroup(number, inOrder, false)];
  const groups: Attempt[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const attempt of inOrder) {
    if (attempt.receivedAt - last > contentGapMs) groups.push([attempt]);
    else groups.at(-1)?.push(attempt);
    last = attempt.receivedAt;
  }
  return groups.map(group => toGroup(number, group, false));
}

function toGroup(number: number, attempts: readonly Position[], isCut: boolean): DeliveryGroup {
  const since = hasGaps(number) && !isCut ? attempts[0]?.receivedAt : undefined;
  const key = encodeDeliveryKey({ number, since });
  return { number, key, attempts: attempts.map(({ receivedAt, seq }) => ({ receivedAt, seq })), isCut };
}
