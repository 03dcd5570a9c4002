/* Delivery ids of schemes that several platforms share, for the rows of the catalog; a platform's own one is in its file. */
import type { DeliveryIdRule } from './engine/platform.ts';

/** Standard Webhooks, under both spellings of its headers. */
export const standardWebhooksIds: readonly DeliveryIdRule[] = [
  {
    header: 'webhook-id',
    source: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  },
  { header: 'svix-id', source: 'https://docs.svix.com/receiving/verifying-payloads/how-manual' },
];
