import type { Platform } from '../engine/platform.ts';
import { publicKey } from '../engine/schemes.ts';

export const sendgrid: Platform = {
  name: 'sendgrid',
  title: 'Twilio SendGrid',
  docsUrl: 'https://www.twilio.com/docs/sendgrid',
  setup: {
    where: 'Settings > Mail Settings > Event Webhooks > Create new webhook > Post URL',
    url: 'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook',
  },
  detect: [
    { anyHeader: ['x-twilio-email-event-webhook-signature', 'x-twilio-email-event-webhook-timestamp'], order: 20 },
    { json: { '0.sg_event_id': true }, order: 50 },
    { json: { '0.sg_message_id': true }, order: 50 },
  ],
  eventType: ['json:0.event'],
  action: ['0.type'],
  preview: ['0.email', ['0.reason', '0.response', '0.url'], '0.sg_message_id'],
  signatures: [
    publicKey('x-twilio-email-event-webhook-signature', 'public-key', {
      message: '{x-twilio-email-event-webhook-timestamp}{body}',
      timestamp: { from: 'header:x-twilio-email-event-webhook-timestamp', unit: 's' },
    }),
  ],
  secretHint: 'Settings > Mail Settings > Event Webhook > Signature verification > Verification key',
};
