import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const intercom: Platform = {
  name: 'intercom',
  title: 'Intercom',
  docsUrl: 'https://developers.intercom.com',
  setup: {
    where: 'Developer Hub > the app > Configure > Webhooks > Endpoint URL',
    url: 'https://developers.intercom.com/docs/webhooks/setting-up-webhooks',
  },
  detect: [{ json: { type: 'notification_event', topic: true, app_id: true }, order: 35 }],
  eventType: ['json:topic'],
  deliveryId: [{ body: 'id', source: 'https://developers.intercom.com/docs/webhooks/webhook-notifications' }],
  preview: [
    ['data.item.source.author.email', 'data.item.email', 'data.item.user.email'],
    ['data.item.source.subject', 'data.item.title', 'data.item.name'],
    'data.item.state',
    'data.item.id',
  ],
  signatures: [hmac('x-hub-signature', { prefix: 'sha1=', hash: 'sha1' })],
  secretHint: 'Developer Hub > the app > Basic information > Client secret',
};
