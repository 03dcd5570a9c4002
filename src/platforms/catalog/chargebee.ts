import type { Platform } from '../engine/platform.ts';

export const chargebee: Platform = {
  name: 'chargebee',
  title: 'Chargebee',
  docsUrl: 'https://apidocs.chargebee.com',
  detect: [{ json: { event_type: true, webhook_status: true, content: true, occurred_at: true }, order: 75 }],
  eventType: ['json:event_type'],
  signatures: [],
  secretHint: null,
};
