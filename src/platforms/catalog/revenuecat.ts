import type { Platform } from '../engine/model.ts';
import { timedHmac, token } from '../engine/schemes.ts';

export const revenuecat: Platform = {
  name: 'revenuecat',
  title: 'RevenueCat',
  docsUrl: 'https://www.revenuecat.com/docs',
  detect: [
    { anyHeader: ['x-revenuecat-webhook-signature'], order: 30 },
    { json: { api_version: true, 'event.type': true, 'event.app_user_id': true }, order: 45 },
  ],
  eventType: ['json:event.type'],
  signatures: [token('authorization'), timedHmac('x-revenuecat-webhook-signature')],
  secretHint: 'Integrations > Webhooks: the authorization header value, or the signing secret',
};
