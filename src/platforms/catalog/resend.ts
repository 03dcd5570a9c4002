import type { Platform } from '../engine/platform.ts';
import { standardWebhooks } from '../engine/schemes.ts';

export const resend: Platform = {
  name: 'resend',
  title: 'Resend',
  docsUrl: 'https://resend.com/docs',
  detect: [
    { allHeaders: ['svix-id'], json: { type: /^(email|contact|domain)\./, created_at: true, data: true }, order: 60 },
  ],
  eventType: ['json:type'],
  signatures: [standardWebhooks('svix'), standardWebhooks('webhook')],
  secretHint: 'Webhooks > the webhook > Signing secret',
};
