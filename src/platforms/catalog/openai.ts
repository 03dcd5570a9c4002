import type { Platform } from '../engine/platform.ts';
import { standardWebhooks } from '../engine/schemes.ts';
import { standardWebhooksIds } from '../shared-delivery-ids.ts';

export const openai: Platform = {
  name: 'openai',
  title: 'OpenAI',
  docsUrl: 'https://platform.openai.com/docs',
  setup: {
    where: 'Project settings > Webhooks > Create > URL',
    url: 'https://platform.openai.com/docs/guides/webhooks',
  },
  detect: [
    { allHeaders: ['webhook-id'], userAgent: 'OpenAI/', order: 62 },
    {
      allHeaders: ['webhook-id'],
      json: { object: 'event', type: /^(response|batch|fine_tuning|eval|realtime|image|video)\./ },
      order: 62,
    },
  ],
  eventType: ['json:type'],
  deliveryId: standardWebhooksIds,
  preview: ['data.id', 'data.call_id'],
  signatures: [standardWebhooks('webhook', { keyFormat: 'whsec-or-text' })],
  secretHint: 'Project settings > Webhooks: the signing secret shown when the endpoint was created',
};
