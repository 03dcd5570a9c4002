import type { Platform } from '../engine/platform.ts';
import { standardWebhooks } from '../engine/schemes.ts';
import { standardWebhooksIds } from '../shared-delivery-ids.ts';

export const svix: Platform = {
  name: 'svix',
  title: 'Svix',
  docsUrl: 'https://docs.svix.com',
  setup: {
    where: 'the sender’s webhook portal > Endpoints > Add Endpoint > Endpoint URL',
    url: 'https://docs.svix.com/receiving/using-app-portal/adding-endpoints',
  },
  detect: [{ allHeaders: ['svix-id', 'svix-timestamp', 'svix-signature'], order: 85 }],
  eventType: ['json:type', 'json:event_type', 'json:eventType'],
  deliveryId: standardWebhooksIds,
  signatures: [standardWebhooks('svix'), standardWebhooks('webhook')],
  secretHint: "The endpoint's Signing Secret in the sender's webhook portal",
};
