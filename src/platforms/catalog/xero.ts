import { valueAt } from '../engine/delivery-reader.ts';
import { empty } from '../engine/handshake-answers.ts';
import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const xero: Platform = {
  name: 'xero',
  title: 'Xero',
  docsUrl: 'https://developer.xero.com',
  detect: [{ anyHeader: ['x-xero-signature'], order: 20 }],
  eventType: ['json:events.0.eventCategory', 'json:events.0.eventType'],
  action: ['events.0.eventType'],
  preview: ['events.0.eventType', 'events.0.resourceId', 'events.0.tenantId'],
  signatures: [hmac('x-xero-signature', { encoding: 'base64' })],
  secretHint: 'Developer portal > the app > Webhooks > Webhooks key',
  handshakes: [
    {
      description:
        'Intent to receive (`events` is empty): 200 when the signature is valid, 401 when it is not; needs the webhooks key.',
      when: { method: 'POST', detected: true },
      answer: ({ json: body, secrets, signingSecret }) => {
        const events = valueAt(body(), 'events');
        if (secrets.length === 0 || !Array.isArray(events) || events.length > 0) return null;
        return empty(signingSecret() === null ? 401 : 200);
      },
    },
  ],
};
