/* Schemas of forwards. */
import { type Static, Type as t } from '@sinclair/typebox';
import { forwardDeliveryStates, forwardStates } from '../../core/forward.ts';
import { ForwardChange, ForwardInput, ForwardRequest, shownForwardSettings } from '../../core/forward-schema.ts';
import { HeaderPairs, literals, nullable, textDocumentedAs } from '../../core/schemas.ts';
import { Moment, PageSize, Timestamp } from '../../http/schemas.ts';
import { maxForwardHeaders } from '../../shared/forwards.ts';
import { EventSummary } from '../events/model.ts';

export { ForwardChange, ForwardInput };

const maxStatsBuckets = 200;

export const Forward = t.Object(
  {
    id: t.String(),
    ...shownForwardSettings,
    waiting: t.Integer({ description: 'events that were not tried yet' }),
    failed: t.Integer({ description: 'events that will be tried again' }),
    givenUp: t.Integer({ description: 'events that will not, unless a person wants it' }),
    lagS: t.Integer({ description: 'seconds since the oldest event came that waits or will be tried again; 0: none' }),
    state: literals(forwardStates, {
      description: 'probing: the destination is down, and gets one event a minute',
    }),
    failingSince: nullable({
      ...Timestamp,
      description: 'since when every attempt has failed; null: the last one did not',
    }),
    probeAt: nullable({
      ...Timestamp,
      description:
        'when a destination that is down, or has answered 429 with `Retry-After`, is asked next; null: neither',
    }),
    lastStatus: nullable(
      t.Integer({ description: 'the last answer to the oldest event that will be tried again; null without one' }),
    ),
    lastError: nullable(t.String({ description: 'why there was none' })),
    createdAt: Timestamp,
  },
  { title: 'Forward' },
);
export type Forward = Static<typeof Forward>;
export const ForwardList = t.Object({ forwards: t.Array(Forward) }, { title: 'ForwardList' });

export const ForwardSecret = t.Object(
  { secret: t.String({ description: '`whsec_…`; shown only here', examples: ['whsec_9f2k4t7x1m3p'] }) },
  { title: 'ForwardSecret' },
);

export const ForwardPreviewRequest = t.Object(
  {
    request: ForwardRequest,
    where: t.Optional(nullable(t.String({ description: 'only events that match this filter' }))),
    limit: t.Optional(
      t.Integer({ minimum: 1, maximum: 50, default: 5, description: 'how many events, the newest ones' }),
    ),
  },
  {
    title: 'ForwardPreviewRequest',
    examples: [{ request: { contentType: 'application/json', body: '{ "text": "{{type}}: {{link}}" }' } }],
    additionalProperties: false,
  },
);
export type ForwardPreviewRequest = Static<typeof ForwardPreviewRequest>;
export const ForwardPreview = t.Object(
  {
    events: t.Array(
      t.Object({
        event: EventSummary,
        body: t.String({ description: 'what would be sent' }),
        problem: nullable(t.String({ description: 'why it would not be sent, and the event given up' })),
      }),
      { description: 'newest first' },
    ),
  },
  { title: 'ForwardPreview' },
);
export type ForwardPreview = Static<typeof ForwardPreview>;

const Preset = t.Object(
  {
    id: t.String(),
    name: t.String(),
    url: t.String({ description: 'names in capitals are to be replaced' }),
    headers: HeaderPairs({ maxItems: maxForwardHeaders }),
    needs: t.Array(t.String(), { description: 'what has to be filled in or done, in sentences' }),
    request: t.Required(ForwardRequest),
  },
  { title: 'ForwardPreset' },
);
export const ForwardPresetList = t.Object({ presets: t.Array(Preset) }, { title: 'ForwardPresetList' });

export const ForwardSelection = t.Object(
  {
    eventId: t.Optional(t.String({ description: 'one event' })),
    where: t.Optional(t.String({ minLength: 1, description: 'events that match this filter' })),
    dryRun: t.Optional(t.Boolean({ description: 'only count the events' })),
  },
  { title: 'ForwardSelection', examples: [{ where: 'received>2h' }], additionalProperties: false },
);
export type ForwardSelection = Static<typeof ForwardSelection>;
export const ForwardDryRun = t.Object(
  { matched: t.Integer({ description: 'how many events it would be now' }) },
  { title: 'ForwardDryRun' },
);
export type ForwardDryRun = Static<typeof ForwardDryRun>;
export const ForwardAnswer = t.Union([Forward, ForwardDryRun], { title: 'ForwardAnswer' });

const ForwardDelivery = t.Object(
  {
    eventId: t.String(),
    eventType: nullable(t.String()),
    platform: nullable(t.String()),
    receivedAt: nullable({ ...Timestamp, description: 'null: the event is gone' }),
    state: literals(forwardDeliveryStates, {
      description: 'waiting: not tried yet; failed: will be tried again; given_up: will not',
    }),
    attempts: t.Integer(),
    nextAt: nullable({ ...Timestamp, description: 'null: behind another of its lane, or given up' }),
    lastStatus: nullable(t.Integer({ description: 'null without an answer' })),
    lastError: nullable(t.String({ description: 'why there was no answer, or why it was given up' })),
  },
  { title: 'ForwardDelivery' },
);
export type ForwardDelivery = Static<typeof ForwardDelivery>;
export const ForwardDeliveryPage = t.Object(
  { deliveries: t.Array(ForwardDelivery, { description: 'oldest first' }), nextCursor: nullable(t.String()) },
  { title: 'ForwardDeliveryPage' },
);
export type ForwardDeliveryPage = Static<typeof ForwardDeliveryPage>;

export const ForwardDeliveryQuery = t.Object({
  state: t.Optional(literals(forwardDeliveryStates)),
  limit: PageSize(25),
  cursor: t.Optional(t.String({ description: '`nextCursor` of the previous page' })),
});
export type ForwardDeliveryQuery = Static<typeof ForwardDeliveryQuery>;
export const ForwardParams = t.Object({ id: t.String(), fid: t.String() });

const statistics = {
  delivered: t.Integer({ description: 'attempts that were answered with 2xx' }),
  failed: t.Integer({ description: 'attempts that were not, in the time in which they ended' }),
  p50Ms: nullable(t.Integer({ description: 'the median of the delivered ones, at most 10 % off; null without any' })),
  p95Ms: nullable(t.Integer()),
};
export const ForwardStats = t.Object(
  {
    from: Timestamp,
    to: { ...Timestamp, description: 'the last millisecond of the last bucket' },
    bucketMs: t.Integer({ format: 'int64' }),
    buckets: t.Array(t.Object({ at: Timestamp, ...statistics }), { description: 'all of them, oldest first' }),
    ...statistics,
  },
  { title: 'ForwardStats' },
);
export type ForwardStats = Static<typeof ForwardStats>;

export const ForwardStatsQuery = t.Object({
  from: Moment('epoch milliseconds; default: the beginning of 24 clock hours up to `to`'),
  to: Moment('epoch milliseconds, default now'),
  buckets: t.Optional(
    textDocumentedAs(t.Integer({ minimum: 1, maximum: maxStatsBuckets, default: 24 }), {
      pattern: '^(?:[1-9][0-9]?|1[0-9]{2}|200)$',
      description: `the most buckets: 1 to ${maxStatsBuckets}, default 24`,
    }),
  ),
});
export type ForwardStatsQuery = Static<typeof ForwardStatsQuery>;
