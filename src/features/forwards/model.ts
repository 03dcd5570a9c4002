/* Schemas of forwards. */

import { type Static, Type as t } from '@sinclair/typebox';
import { forwardDeliveryStates, forwardStates } from '../../core/forward.ts';
import { literals, Name, nullable, Timestamp, textDocumentedAs } from '../../http/schemas.ts';
import {
  forwardModes,
  forwardPers,
  forwardSigns,
  maxForwardHeaders,
  maxForwardTimeoutS,
  maxOrderByCharacters,
} from '../../shared/forwards.ts';
import { HttpUrl } from '../replays/model.ts';

const Duration = (description: string) => t.String({ minLength: 1, maxLength: 12, description });
const Headers = t.Array(t.Tuple([t.String(), t.String()]), {
  maxItems: maxForwardHeaders,
  description: 'added to every request, in place of captured ones of the same name',
});
const Mode = literals(forwardModes, {
  description: 'parallel: several at a time, in no order; ordered: one at a time in each lane, oldest first',
});
const Sign = literals(forwardSigns, {
  description:
    '`fresh`: a new signature by a secret of the endpoint that may sign; events that it may not sign are given up',
});
const Per = literals(forwardPers, { description: 'delivery: of the attempts of a delivery only the first' });
const TimeoutS = t.Integer({
  minimum: 1,
  maximum: maxForwardTimeoutS,
  description: 'for the whole answer; default 30',
});
const OrderBy = nullable(
  t.String({
    minLength: 1,
    maxLength: maxOrderByCharacters,
    description:
      'with `ordered`: the field whose value makes the lane, such as `body.order.id`; events without it share one. null: one lane',
  }),
);

const settable = {
  url: HttpUrl('where the events are sent'),
  where: t.Optional(nullable(t.String({ description: 'only events that match this filter; default all' }))),
  mode: t.Optional(Mode),
  orderBy: t.Optional(OrderBy),
  sign: t.Optional(Sign),
  headers: t.Optional(Headers),
  timeoutS: t.Optional(TimeoutS),
  retry: t.Optional(
    t.Object(
      {
        for: t.Optional(Duration('how long an event is tried after the first attempt; default 24h')),
        first: t.Optional(Duration('the shortest time between two attempts; default 5s')),
        max: t.Optional(Duration('the longest; default 1h')),
      },
      { additionalProperties: false },
    ),
  ),
  per: t.Optional(Per),
  enabled: t.Optional(t.Boolean({ description: 'false: paused, events wait; default true' })),
};

export const ForwardInput = t.Object(
  { name: Name, ...settable },
  {
    title: 'ForwardInput',
    examples: [{ name: 'orders to staging', url: 'https://staging.example.com/hook', where: 'type:order.*' }],
    additionalProperties: false,
  },
);
export type ForwardInput = Static<typeof ForwardInput>;
export const ForwardChange = t.Object(
  { ...settable, name: t.Optional(Name), url: t.Optional(settable.url) },
  { title: 'ForwardChange', examples: [{ url: 'https://next.example.com/hook' }], additionalProperties: false },
);
export type ForwardChange = Static<typeof ForwardChange>;

export const Forward = t.Object(
  {
    id: t.String(),
    name: t.String(),
    url: t.String(),
    where: t.String(),
    mode: Mode,
    orderBy: OrderBy,
    sign: Sign,
    headers: Headers,
    timeoutS: TimeoutS,
    retry: t.Object({ for: t.String(), first: t.String(), max: t.String() }),
    per: Per,
    enabled: t.Boolean(),
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
  limit: t.Optional(
    textDocumentedAs(t.Integer({ minimum: 1, maximum: 100, default: 25 }), {
      pattern: '^(?:[1-9][0-9]?|100)$',
      description: '1 to 100, default 25',
    }),
  ),
  cursor: t.Optional(t.String({ description: '`nextCursor` of the previous page' })),
});
export type ForwardDeliveryQuery = Static<typeof ForwardDeliveryQuery>;
export const ForwardParams = t.Object({ id: t.String(), fid: t.String() });
