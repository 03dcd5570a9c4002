/* The output of `hooktape expect`. The texts must be escaped with `safeText` before they are printed. */
import type { EventSummary } from '../../features/events/model.ts';
import { timeText } from '../client/output.ts';
import { countedThings, countOf, describe, type Expectation } from './expectation.ts';
import type { Arrivals, Explanation, Near } from './explain.ts';
import type { Watched } from './watch.ts';

export type Failure = {
  /** One line. */
  sentence: string;
  /** Further lines, which may be long. */
  details: string[];
};

const maxListed = 10;

/** `arrivals`: all events after the mark, matching or not. */
export function explainFailure(
  expectation: Expectation,
  { outcome, events, isTruncated }: Watched,
  { arrivals, nearest, hint, withinText }: Explanation & { arrivals: Arrivals; withinText: string },
): Failure {
  const { per } = expectation;
  const count = countOf(expectation, events);
  const expected = `expected ${describe(expectation)}`;
  if (outcome === 'too many') {
    const sentence = `too many: ${expected}, but ${countedThings(count, per)} arrived`;
    return { sentence, details: [...listed('Events that arrived:', events), ...attemptsHint(expectation, events)] };
  }
  if (isTruncated && expectation.kind !== 'at least')
    return {
      sentence: `not met: ${expected}, but retention has removed events after the mark, so they can't be counted`,
      details: ['Take the mark later, or increase the retention of the endpoint.'],
    };
  const removed = isTruncated ? ['Retention has removed some of the events after the mark.'] : [];
  const missing = missingText({ count, per, withinText, arrivals });
  const others = nearest.length > 0 ? ['Closest events that do not match:', ...nearest.map(nearLine)] : [];
  return {
    sentence: `not met: ${expected} within ${withinText}, but ${missing}`,
    details: [
      ...removed,
      ...listed(`${countedThings(count, per)} matched:`, events),
      ...others,
      ...(hint === null ? [] : [hint]),
    ],
  };
}

function missingText(found: {
  count: number;
  per: Expectation['per'];
  withinText: string;
  arrivals: Arrivals;
}): string {
  const { count, per, arrivals } = found;
  if (count > 0) return `only ${countedThings(count, per)} arrived`;
  if (arrivals.events.length === 0) return 'nothing arrived after the mark';
  if (arrivals.hasMore) return `more than ${arrivals.events.length} events arrived, none of them matches`;
  if (arrivals.events.length === 1) return '1 event arrived, and it does not match';
  return `${arrivals.events.length} events arrived, none of them matches`;
}

const listed = (heading: string, events: readonly EventSummary[]): string[] =>
  events.length === 0
    ? []
    : [
        heading,
        ...events.slice(0, maxListed).map(event => `  ${nameOf(event)}`),
        ...(events.length > maxListed ? [`  and ${events.length - maxListed} more`] : []),
      ];

/** A hint for retries, because a retrying sender looks like a sender of duplicates. */
function attemptsHint({ kind, per, count }: Expectation, events: readonly EventSummary[]): string[] {
  const deliveries = countOf({ per: 'delivery' }, events);
  if (kind !== 'exactly' || per === 'delivery' || deliveries !== count) return [];
  return [
    `They are attempts of ${countedThings(deliveries, 'delivery')}: use --per delivery to count each delivery once.`,
  ];
}

const nameOf = ({ id, platform, eventType, receivedAt, verdict, delivery }: EventSummary): string =>
  [
    id,
    timeText(receivedAt),
    [platform, eventType].filter(one => one !== null).join(' ') || 'unknown sender',
    ...(verdict === null || verdict === 'none' ? [] : [verdict]),
    ...(delivery.attempts > 1 ? [`attempt ${delivery.attempt} of ${delivery.attempts}`] : []),
  ].join('  ');

const nearLine = ({ event, clause, actual }: Near): string =>
  `  ${nameOf(event)}\n    fails ${clause}${actual === undefined ? '' : `: ${actual}`}`;
