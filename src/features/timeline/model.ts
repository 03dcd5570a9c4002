/* Schemas of the timeline of an endpoint's events, and of the values that a field has in them. */
import { type Static, Type as t } from '@sinclair/typebox';
import { literals, nullable, textDocumentedAs } from '../../core/schemas.ts';
import { Moment, Timestamp } from '../../http/schemas.ts';
import { EventListQuery, Where } from '../events/model.ts';

export const maxBuckets = 200;
export const defaultBuckets = 60;
/** How many values have a series of their own. */
export const maxSeries = 6;
export const maxValues = 50;
export const defaultValues = 10;

const groupings = ['none', 'type', 'platform', 'answered'] as const;
const valueFields = ['type', 'platform', 'method', 'path', 'answered', 'tag'] as const;
const { q } = EventListQuery.properties;

export const TimelineQuery = t.Object({
  from: Moment('epoch milliseconds, included; by default the time of the endpoint’s oldest event'),
  to: Moment('epoch milliseconds, included; by default now'),
  buckets: t.Optional(
    textDocumentedAs(t.Integer({ minimum: 1, maximum: maxBuckets, default: defaultBuckets }), {
      pattern: '^(?:[1-9][0-9]?|1[0-9][0-9]|200)$',
      description: `the most buckets to answer with: 1 to ${maxBuckets}, default ${defaultBuckets}`,
    }),
  ),
  where: Where,
  q,
  by: t.Optional(literals(groupings, { description: 'what `series` counts; by default `none`' })),
  cursor: t.Optional(t.String({ description: '`nextCursor` of the previous answer, with the same other parameters' })),
});
export type TimelineQuery = Static<typeof TimelineQuery>;

const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
/** The key of the request, `from`, `to`, the values of the series, and the position to continue after: its time and row number. */
export const TimelineCursor = t.Tuple([
  t.String(),
  t.Integer({ ...safe, minimum: 0 }),
  t.Integer(safe),
  t.Union([t.Null(), t.Array(t.String(), { maxItems: maxSeries })]),
  t.Integer(safe),
  t.Integer(safe),
]);
export type TimelineCursor = Static<typeof TimelineCursor>;

export const TimelineBucket = t.Object(
  {
    at: Timestamp,
    count: t.Integer(),
    accepted: t.Integer({ description: 'neither `failed` nor `invalid`' }),
    failed: t.Integer({ description: 'refused, or not answered with 2xx' }),
    invalid: t.Integer({
      description: 'the signature was invalid with the secrets that were known when the event was filed',
    }),
  },
  { title: 'TimelineBucket' },
);
export type TimelineBucket = Static<typeof TimelineBucket>;

export const TimelineSeries = t.Object(
  {
    value: nullable(t.String(), { description: 'null for all other values and for events without one' }),
    counts: t.Array(t.Integer(), { description: 'one for each bucket' }),
  },
  { title: 'TimelineSeries' },
);
export type TimelineSeries = Static<typeof TimelineSeries>;

export const Timeline = t.Object(
  {
    from: Timestamp,
    to: Timestamp,
    bucketMs: t.Integer({
      description: 'the length of a bucket; each begins at a multiple of it (UTC)',
      format: 'int64',
    }),
    buckets: t.Array(TimelineBucket, { description: 'oldest first; empty ones are in it' }),
    series: t.Array(TimelineSeries, {
      description: 'the six most frequent values, the most frequent first, then the rest',
    }),
    complete: t.Boolean({ description: 'false if a search spent its budget before it had read all events' }),
    nextCursor: nullable(t.String({ description: 'continues with older events; the sum over all answers is exact' })),
  },
  { title: 'Timeline' },
);
export type Timeline = Static<typeof Timeline>;

export const ValuesQuery = t.Object({
  field: literals(valueFields),
  where: Where,
  q,
  limit: t.Optional(
    textDocumentedAs(t.Integer({ minimum: 1, maximum: maxValues, default: defaultValues }), {
      pattern: '^(?:[1-9]|[1-4][0-9]|50)$',
      description: `1 to ${maxValues}, default ${defaultValues}`,
    }),
  ),
});
export type ValuesQuery = Static<typeof ValuesQuery>;

export const FieldValues = t.Object(
  {
    values: t.Array(
      t.Object(
        {
          value: nullable(t.String(), { description: 'null for events without a type, platform or status' }),
          count: t.Integer(),
        },
        { title: 'FieldValue' },
      ),
      { description: 'the most frequent first' },
    ),
    events: t.Integer({ description: 'how many events were read: the newest 10,000 that match, or fewer' }),
    complete: t.Boolean({ description: 'false if the search spent its budget first' }),
  },
  { title: 'FieldValues' },
);
export type FieldValues = Static<typeof FieldValues>;
