/* Reads the events, schema changes or forwards that an alert's kind is about, since the alert was last evaluated. */

import type { TeamAccess } from '../../core/access/principal.ts';
import { parseEventId } from '../../core/ids/ids.ts';
import type { Seen } from './conditions.ts';
import type { Observe } from './evaluation.ts';
import type { AlertsStore, ChangeRow, OpenAlert, TypeRow } from './store.ts';

/** How long the endpoint's longest stuck forward has been stuck, in ms; 0 if no forward is stuck. */
export type StuckForward = (endpoint: number) => Promise<number>;

export type ObserveOptions = {
  store: Pick<AlertsStore, 'typesAfter' | 'changesAfter'>;
  /** Row numbers of matching events after a position, oldest first, some hundred at a time. */
  matching: (
    principal: TeamAccess,
    request: { endpointId: string; where: string; after: number },
  ) => AsyncGenerator<{ seqs: number[]; position: number }>;
  /** Which of these events match. */
  matchingAmong: (alert: OpenAlert, where: string, seqs: readonly number[]) => Promise<ReadonlySet<number>>;
  /** Requests that the schemas of new events are learned soon, for the next check. */
  learn: () => void;
  /** Whether deliveries wait for their commit, or arrive at a high rate: then one read covers fewer events. */
  isBusy: () => boolean;
  stuckForward: StuckForward;
};

const nothing: Omit<Seen, 'isPaused'> = { matching: 0, changes: 0, items: [], stuckMs: 0 };
/** The most pages read for one alert in one check. The next check reads on. */
const maxPages = 8;
const maxChanges = 500;

/**
 * The filter for the events that count: only events received within the condition's time. Imported events have recent row numbers but
 * old times, so they do not count.
 */
export function eventsThatCount({ kind, minutes }: Pick<OpenAlert, 'kind' | 'minutes'>, where: string): string {
  const terms = [`received>${minutes ?? 1}m`, ...(kind === 'bad_signatures' ? ['verdict:invalid'] : [])];
  return [...terms, ...(where === '' ? [] : [`(${where})`])].join(' ');
}

export function createObserve(options: ObserveOptions): Observe {
  const { store, matching, matchingAmong, learn, isBusy, stuckForward } = options;

  const events = async (alert: OpenAlert, last: number) => {
    const where = eventsThatCount(alert, alert.filter.toString());
    const enough = alert.kind === 'silence' ? 1 : (alert.count ?? 1);
    let [found, position, pages, hasMore] = [0, alert.position, 0, false];
    for await (const page of matching(alert, { endpointId: alert.endpointId, where, after: position })) {
      found += page.seqs.length;
      position = page.position;
      // More events would not change the result.
      if (found >= enough)
        return { seen: { ...nothing, matching: found }, position: Math.max(position, last), hasMore: false };
      hasMore = ++pages >= (isBusy() ? 1 : maxPages) && position < last;
      if (hasMore) break;
    }
    return { seen: { ...nothing, matching: found }, position, hasMore };
  };

  const reported = (alert: OpenAlert, rows: readonly TypeRow[], items: readonly string[]) => ({
    seen: { ...nothing, changes: items.length, items },
    position: rows.at(-1)?.seq ?? alert.position,
    hasMore: rows.length === maxChanges,
  });
  const types = async (alert: OpenAlert) => {
    learn();
    const rows = await store.typesAfter(alert.endpoint, alert.position, maxChanges);
    return reported(alert, rows, rows.map(nameOf));
  };
  const changes = async (alert: OpenAlert) => {
    learn();
    const rows = await store.changesAfter(alert.endpoint, alert.position, maxChanges);
    const where = alert.filter.toString();
    const seqOf = ({ eventId }: ChangeRow): number => parseEventId(eventId)?.seq ?? 0;
    const matched = where === '' || rows.length === 0 ? undefined : await matchingAmong(alert, where, rows.map(seqOf));
    const shown = rows.filter(row => matched === undefined || matched.has(seqOf(row)));
    return reported(alert, rows, shown.map(toNews));
  };
  const forwards = async (alert: OpenAlert) => ({
    seen: { ...nothing, stuckMs: await stuckForward(alert.endpoint) },
    position: alert.position,
    hasMore: false,
  });

  const looks = {
    silence: events,
    bad_signatures: events,
    new_type: types,
    schema_change: changes,
    forward_stuck: forwards,
  };
  return async (alert, last) => {
    const { seen, ...rest } = await looks[alert.kind](alert, last);
    return { seen: { ...seen, isPaused: alert.pausedAt !== null }, ...rest };
  };
}

const nameOf = ({ platform, type }: TypeRow): string =>
  `${type === '' ? 'events without a type' : type}${platform === '' ? '' : ` (${platform})`}`;

const changeWords: Record<string, string> = {
  new: 'is new',
  vanished: 'is not sent any more',
  type: 'has another type',
};
const toNews = (row: ChangeRow): string =>
  `${nameOf(row)}: ${Buffer.from(row.path).toString()} ${changeWords[row.kind] ?? 'has changed'}`;
