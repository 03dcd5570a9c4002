import type { Platform } from '../engine/platform.ts';
import { timestampedHmac } from '../engine/schemes.ts';

export const mailchimp: Platform = {
  name: 'mailchimp',
  title: 'Mailchimp',
  docsUrl: 'https://mailchimp.com/developer/',
  detect: [
    { anyHeader: ['x-mailchimp-signature'], order: 45 },
    { form: { type: true, fired_at: true, 'data[list_id]': true }, order: 45 },
  ],
  eventType: ['form:type'],
  preview: ['data[email]', 'data[merges][FNAME]', 'data[reason]', 'data[list_id]'],
  signatures: [timestampedHmac('x-mailchimp-signature')],
  secretHint: 'The secret shown when the webhook was created',
};
