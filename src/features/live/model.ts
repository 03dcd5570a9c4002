/* Live arrivals and the last day at a glance. */
import { type Static, Type as t } from '@sinclair/typebox';
import { files, Timestamp } from '../../http/schemas.ts';

export const activityBuckets = 24;

export const Activity = t.Object(
  {
    since: Timestamp,
    bucketMs: t.Integer(),
    counts: t.Array(t.Integer(), { minItems: activityBuckets, maxItems: activityBuckets, description: 'oldest first' }),
  },
  { title: 'Activity' },
);
export type Activity = Static<typeof Activity>;

export const StreamQuery = t.Object({
  lastEventId: t.Optional(
    t.String({ description: 'the newest event that the caller has; empty: none yet. Last-Event-ID goes before it' }),
  ),
});

export const EventStream = files({
  'text/event-stream': t.String({
    description: 'Messages `event`, each with an EventSummary as data and the event’s id as id; comments in between.',
  }),
});
