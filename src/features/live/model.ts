/* Schemas of the live stream and of the activity of the last 24 hours. */
import { type Static, Type as t } from '@sinclair/typebox';
import { byMediaType, Timestamp } from '../../http/schemas.ts';

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
    t.String({
      description:
        'id of the newest event that the client has, or empty when it has none; the header Last-Event-ID takes precedence',
    }),
  ),
});

export const EventStream = byMediaType({
  'text/event-stream': t.String({
    description:
      'Messages of type `event`, each with an EventSummary as data and the id of the event as id, and comments in between.',
  }),
});
