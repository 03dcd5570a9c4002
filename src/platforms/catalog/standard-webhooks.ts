import type { Platform } from '../engine/platform.ts';
import { standardWebhooks } from '../engine/schemes.ts';
import { standardWebhooksIds } from '../shared-delivery-ids.ts';

export const standardWebhooksSender: Platform = {
  name: 'standard-webhooks',
  title: 'Standard Webhooks',
  docsUrl: 'https://www.standardwebhooks.com',
  detect: [{ allHeaders: ['webhook-id', 'webhook-timestamp', 'webhook-signature'], order: 86 }],
  eventType: ['json:type'],
  deliveryId: standardWebhooksIds,
  signatures: [
    standardWebhooks('webhook', { keyFormat: 'whsec-or-text' }),
    standardWebhooks('webhook', { label: 'standard-webhooks-ed25519', version: 'v1a', keyFormat: 'ed25519' }),
  ],
  secretHint: 'The signing secret (whsec_…) or public key (whpk_…) that the sender shows',
};
