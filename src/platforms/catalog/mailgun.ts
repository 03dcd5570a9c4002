import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const mailgun: Platform = {
  name: 'mailgun',
  title: 'Mailgun',
  docsUrl: 'https://documentation.mailgun.com',
  detect: [
    {
      json: { 'event-data': true, 'signature.signature': true, 'signature.timestamp': true, 'signature.token': true },
      order: 45,
    },
    { form: { signature: /^[0-9a-f]{64}$/, timestamp: /^\d+$/, token: true }, order: 45 },
  ],
  eventType: ['json:event-data.event', 'form:event'],
  signatures: [
    customScheme('mailgun', null, { proves: 'origin', note: 'only timestamp and token are signed, not the event' }),
  ],
  secretHint: 'Sending > Webhooks > HTTP webhook signing key',
};
