/* Selects the events of a replay job, which are fixed when it is created. */

import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import type { Reader } from '../../core/concurrency/content-reads.ts';
import { invalid, invalidAt, notFound } from '../../core/errors.ts';
import { parseEventId } from '../../core/ids/ids.ts';
import { parseWhere } from '../../core/where.ts';
import { maxJobEvents } from '../../shared/limits.ts';
import type { EventSummary } from '../events/model.ts';
import type { ReplayJobInput } from './model.ts';
import type { ReplayJobsStore } from './store.ts';

/** How many events one read returns. */
const chosenTogether = 100;

export type SelectionOptions = {
  store: Pick<ReplayJobsStore, 'bytesOf'>;
  /** The matching events, oldest first, in steps. @throws invalid for the filter, not_found */
  matching: (
    principal: TeamAccess,
    selection: { endpointId: string; where: string },
    reader: Reader,
  ) => AsyncIterable<{ seqs: number[] }>;
  /** Summaries of these events. */
  summaries: (reader: MemberAccess & Reader, endpointId: string, seqs: readonly number[]) => Promise<EventSummary[]>;
};

export function createSelection({ store, matching, summaries }: SelectionOptions) {
  /** The events that the request names. @throws not_found if one is not an event of the endpoint */
  async function* chosen(principal: MemberAccess & Reader, endpointId: string, ids: readonly string[]) {
    const wanted = new Set(ids);
    const seqs = [...wanted].map(id => parseEventId(id)?.seq ?? 0).sort((a, b) => a - b);
    for (let i = 0; i < seqs.length; i += chosenTogether) {
      const step = seqs.slice(i, i + chosenTogether);
      const found = await summaries(principal, endpointId, step);
      if (found.filter(({ id }) => wanted.has(id)).length < step.length) throw notFound('one of the events');
      yield { seqs: step };
    }
  }

  /** The events of a job, oldest first. @throws invalid when there are too many, not_found; as `ContentReads.run` */
  return async (
    principal: MemberAccess & Reader,
    request: ReplayJobInput,
  ): Promise<{ seqs: number[]; bytes: number }> => {
    const { endpointId, per = 'event', eventIds } = request;
    const where = whereOf(request);
    const steps = eventIds
      ? chosen(principal, endpointId, eventIds)
      : matching(principal, { endpointId, where }, principal);
    const seqs: number[] = [];
    let bytes = 0;
    /** For each delivery, the index of its event in `seqs`, and the event's size. */
    const deliveries = new Map<string, { place: number; size: number }>();
    for await (const step of steps) {
      if (per === 'event') {
        seqs.push(...step.seqs);
        bytes += await store.bytesOf(step.seqs);
      } else
        for (const { id, delivery, size } of await summaries(principal, endpointId, step.seqs)) {
          const known = deliveries.get(delivery.key);
          const place = known?.place ?? seqs.length;
          deliveries.set(delivery.key, { place, size });
          bytes += size - (known?.size ?? 0);
          seqs[place] = parseEventId(id)?.seq ?? 0;
        }
      if (seqs.length > maxJobEvents)
        throw invalid(`more than ${maxJobEvents} events match: make several jobs, by where, from or to`);
    }
    return { seqs, bytes };
  };
}

/** The filter of a job: `where` and the times. @throws invalid */
export function whereOf({ where = '', from, to, eventIds }: ReplayJobInput): string {
  if (eventIds && (where.trim() !== '' || from !== undefined || to !== undefined))
    throw invalid('give either eventIds, or where, from and to');
  const time = (name: string, value: number | string): string => {
    const text = typeof value === 'number' ? new Date(value).toISOString() : value.trim();
    if (!/^[\w.:+-]+$/.test(text)) throw invalidAt([name], 'is not a time', `${name} is not a time`);
    return text;
  };
  // It is parsed alone, so that its parentheses are balanced and positions in errors count from its beginning.
  if (where.trim() !== '') parseWhere(where);
  const terms = [
    ...(where.trim() === '' ? [] : [from === undefined && to === undefined ? where.trim() : `(${where.trim()})`]),
    ...(from === undefined ? [] : [fromTerm(time('from', from))]),
    ...(to === undefined ? [] : [`received<=${time('to', to)}`]),
  ];
  return terms.join(' ');
}

/** A duration selects events younger than that; a time selects events from then on. */
const fromTerm = (time: string): string => (/^\d+(?:ms|[smhdw])/.test(time) ? `received>${time}` : `received>=${time}`);
