/* Delivery ids of schemes that several platforms share. */
import type { DeliveryIdRule } from './engine/platform.ts';

/** Standard Webhooks, under both spellings of its headers. */
export const standardWebhooksIds: readonly DeliveryIdRule[] = [
  {
    header: 'webhook-id',
    source: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  },
  { header: 'svix-id', source: 'https://docs.svix.com/receiving/verifying-payloads/how-manual' },
];

/** CloudEvents: an id is unique for its source only. */
export const cloudEventsIds: readonly DeliveryIdRule[] = [
  {
    header: ['ce-source', 'ce-id'],
    source: 'https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/http-protocol-binding.md',
  },
  { body: ['source', 'id'], source: 'https://github.com/cloudevents/spec/blob/main/cloudevents/spec.md#id' },
];
