/* Schemas of a delivery with its attempts, and of the retries that an endpoint's senders make. */
import { type Static, Type as t } from '@sinclair/typebox';
import { nullable } from '../../core/schemas.ts';
import { Timestamp } from '../../http/schemas.ts';
import { DeliveryPlace, EventSummary } from '../events/model.ts';

const DeliveryAttempt = t.Object(
  {
    ...EventSummary.properties,
    gapMs: nullable(t.Integer({ description: 'since the attempt before; null for the first', format: 'int64' })),
  },
  { title: 'DeliveryAttempt' },
);

export const Delivery = t.Object(
  {
    key: t.String(),
    basis: DeliveryPlace.properties.basis,
    platform: nullable(t.String()),
    attempts: t.Array(DeliveryAttempt, {
      description: 'oldest first: the first 100, or as many as have bodies of 256 MiB together',
    }),
    bodiesDiffer: t.Boolean({ description: 'whether the listed attempts have different bodies' }),
  },
  { title: 'Delivery' },
);
export type Delivery = Static<typeof Delivery>;

export const DeliveryParams = t.Object({ key: t.String() });
export const DeliveryQuery = t.Object({ endpointId: t.String() });

const Retry = t.Object(
  {
    attempt: t.Integer({ minimum: 2, description: 'the attempt that this retry makes' }),
    gapMs: t.Integer({ description: 'the median time since the attempt before', format: 'int64' }),
    deliveries: t.Integer({ minimum: 1, description: 'how many deliveries had this attempt' }),
  },
  { title: 'Retry' },
);

const SenderRetries = t.Object(
  {
    platform: nullable(t.String()),
    basis: DeliveryPlace.properties.basis,
    deliveries: t.Integer({ minimum: 1, description: 'how many deliveries had several attempts' }),
    retries: t.Array(Retry, { description: 'the first 20' }),
  },
  { title: 'SenderRetries' },
);
export type SenderRetries = Static<typeof SenderRetries>;

export const RetrySchedule = t.Object(
  {
    events: t.Integer({ minimum: 0, description: 'how many of the newest events were looked at' }),
    since: nullable({ ...Timestamp, description: 'when the oldest of these was received, epoch milliseconds' }),
    senders: t.Array(SenderRetries, { description: 'most deliveries first' }),
  },
  { title: 'RetrySchedule' },
);
export type RetrySchedule = Static<typeof RetrySchedule>;
