/*
 * The way of an event through the forwards of its endpoint. Items and accepted attempts are stored. That an event was skipped is
 * not: a forward takes it, has passed it, and neither an item nor an attempt is left.
 */

import { shownOutcome } from '../../core/answers/model.ts';
import { advance, type YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { latin1 } from '../../core/encoding/buffer.ts';
import { evaluateInSteps } from '../../core/filter/evaluate.ts';
import { createEventContent } from '../../core/filter/event-content.ts';
import type { EventFacts } from '../../core/filter/event-facts.ts';
import { maxAttemptsPerEvent } from '../../core/limits.ts';
import { pick } from '../../core/pick.ts';
import { parseWhere } from '../../core/where.ts';
import type { EventForward } from './model.ts';
import type { StoredEvent } from './reading.ts';
import type { AcceptedAttempt, ForwardOfEvent, WayStore } from './way-store.ts';

export type FindWay = ReturnType<typeof createFindWay>;

type Reading = {
  /** What is found out about the event while it is read. */
  known: () => Promise<Pick<EventFacts, 'verdict' | 'attempt'>>;
  yieldIfDue: YieldIfDue;
};

export function createFindWay({ store }: { store: WayStore }) {
  const factsOf = async ({ row, headers, body }: StoredEvent, { known }: Reading): Promise<EventFacts> => ({
    ...pick(row, 'platform', 'method', 'receivedAt', 'size', 'sourceIp', 'tags'),
    type: row.eventType,
    path: latin1(row.path),
    answered: shownOutcome(row.outcome).answered.status,
    isPinned: row.pin !== null,
    isRefused: (row.outcome?.refused ?? null) !== null,
    isRedacted: row.redacted !== null,
    content: createEventContent({ headers, query: row.query, body }),
    ...(await store.replayed(row.seq)),
    ...(await known()),
  });

  const stateIn = async (
    forward: ForwardOfEvent,
    event: StoredEvent,
    {
      accepted,
      reading,
      isMatch,
    }: { accepted: readonly AcceptedAttempt[]; reading: Reading; isMatch: () => Promise<boolean> },
  ): Promise<Omit<EventForward, 'id' | 'name'> | undefined> => {
    const { item, position } = forward;
    if (item) {
      const { attempts, status: lastStatus, dueAt: nextAt } = item;
      const state = item.outcome !== null ? 'given_up' : attempts > 0 ? 'failed' : 'waiting';
      return { state, attempts, lastStatus, nextAt };
    }
    const found =
      accepted.find(one => one.forward === forward.seq) ??
      accepted.find(one => one.forward === null && one.destination === forward.url.toString());
    if (found) return { state: 'delivered', attempts: found.attempts ?? 1, lastStatus: found.status, nextAt: null };
    if (event.row.seq <= forward.since || !(await isMatch())) return undefined;
    const untried = { attempts: 0, lastStatus: null, nextAt: null };
    if (event.row.seq > position) return { state: 'waiting', ...untried };
    // Had it been taken as the first with a valid signature, it would have an item or an attempt, unless a person skipped it.
    if (forward.per === 'delivery' && (await reading.known()).attempt > 1) return undefined;
    // The attempt at which it was delivered may have been removed for newer ones.
    return (await store.kept(event.row.seq)) < maxAttemptsPerEvent ? { state: 'skipped', ...untried } : undefined;
  };

  /** One entry for each forward that takes the event, oldest forward first. Delivered ones as long as their attempt is kept. */
  return async (event: StoredEvent, reading: Reading): Promise<EventForward[]> => {
    const { endpoint, seq } = event.row;
    const forwards = await store.forwardsOf(endpoint, seq);
    if (forwards.length === 0) return [];
    // Read after the items, because the transaction that adds an attempt removes the item.
    const accepted = await store.accepted(seq);
    let facts: EventFacts | undefined;
    const ways: EventForward[] = [];
    for (const forward of forwards) {
      /** By its present filter. Times in it count from the receipt of the event. */
      const isMatch = async (): Promise<boolean> => {
        facts ??= await factsOf(event, reading);
        if (facts.isRefused) return false;
        const filter = parseWhere(forward.filter.toString());
        return (await advance(evaluateInSteps(filter, facts, facts.receivedAt), reading.yieldIfDue)) ?? false;
      };
      const state = await stateIn(forward, event, { accepted, reading, isMatch });
      if (state) ways.push({ id: forward.id, name: forward.name.toString(), ...state });
    }
    return ways;
  };
}
