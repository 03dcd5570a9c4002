import { formJson } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const mandrill: Platform = {
  name: 'mandrill',
  title: 'Mailchimp Transactional (Mandrill)',
  docsUrl: 'https://mailchimp.com/developer/transactional/',
  detect: [{ anyHeader: ['x-mandrill-signature'], order: 20 }],
  eventType: [formJson('mandrill_events', '0.event')],
  signatures: [customScheme('mandrill', 'x-mandrill-signature')],
  secretHint: 'Settings > Webhooks > the webhook > Key',
  notes: 'The URL must be the one that was configured, to the letter.',
};
