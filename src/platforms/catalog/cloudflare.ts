import type { Platform } from '../engine/platform.ts';
import { token } from '../engine/schemes.ts';

export const cloudflare: Platform = {
  name: 'cloudflare',
  title: 'Cloudflare Notifications',
  docsUrl: 'https://developers.cloudflare.com',
  detect: [{ anyHeader: ['cf-webhook-auth'], order: 25 }],
  eventType: ['json:alert_type'],
  preview: ['name', 'text'],
  signatures: [token('cf-webhook-auth')],
  secretHint: 'Notifications > Destinations > the webhook > Secret',
};
