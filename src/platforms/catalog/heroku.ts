import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const heroku: Platform = {
  name: 'heroku',
  title: 'Heroku',
  docsUrl: 'https://devcenter.heroku.com',
  detect: [
    { anyHeader: ['heroku-webhook-hmac-sha256'], order: 20 },
    { json: { webhook_metadata: true }, order: 50 },
  ],
  eventType: ['json:webhook_metadata.event.include', 'json:resource', 'json:action'],
  deliveryId: [{ body: 'webhook_metadata.delivery.id', source: 'https://devcenter.heroku.com/articles/app-webhooks' }],
  action: ['action'],
  preview: [
    ['data.app.name', 'data.name'],
    'actor.email',
    ['data.status', 'data.state'],
    ['v{data.version}', 'data.description'],
  ],
  signatures: [hmac('heroku-webhook-hmac-sha256', { encoding: 'base64' })],
  secretHint: 'The Heroku-Webhook-Secret given when the webhook was created',
};
