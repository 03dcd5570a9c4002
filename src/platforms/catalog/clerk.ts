import type { Platform } from '../engine/platform.ts';
import { standardWebhooks } from '../engine/schemes.ts';
import { standardWebhooksIds } from '../shared-delivery-ids.ts';

export const clerk: Platform = {
  name: 'clerk',
  title: 'Clerk',
  docsUrl: 'https://clerk.com/docs',
  setup: {
    where: 'Dashboard > Webhooks > Add Endpoint > Endpoint URL',
    url: 'https://clerk.com/docs/webhooks/overview',
  },
  detect: [
    {
      allHeaders: ['svix-id'],
      json: {
        object: 'event',
        type: /^(user|session|organization\w*|email|sms|role|permission|waitlistEntry|invitation)\./,
      },
      order: 61,
    },
    { allHeaders: ['svix-id'], json: { instance_id: true, object: 'event', type: true }, order: 61 },
  ],
  eventType: ['json:type'],
  deliveryId: standardWebhooksIds,
  preview: [
    ['data.email_addresses.0.email_address', 'data.to_email_address', 'data.email_address', 'data.slug'],
    ['{data.first_name} {data.last_name}', 'data.first_name', 'data.name'],
    'data.status',
    'data.id',
  ],
  signatures: [standardWebhooks('svix'), standardWebhooks('webhook')],
  secretHint: 'Dashboard > Webhooks > the endpoint > Signing Secret',
};
