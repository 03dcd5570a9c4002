import type { Platform } from '../engine/model.ts';
import { timedHmac } from '../engine/schemes.ts';

export const mailchimp: Platform = {
  name: 'mailchimp',
  title: 'Mailchimp',
  docsUrl: 'https://mailchimp.com/developer/',
  detect: [
    { anyHeader: ['x-mailchimp-signature'], order: 45 },
    { form: { type: true, fired_at: true, 'data[list_id]': true }, order: 45 },
  ],
  eventType: ['form:type'],
  signatures: [timedHmac('x-mailchimp-signature')],
  secretHint: 'The secret shown when the webhook was created',
};
