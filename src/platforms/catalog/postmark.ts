import type { Platform } from '../engine/platform.ts';

export const postmark: Platform = {
  name: 'postmark',
  title: 'Postmark',
  docsUrl: 'https://postmarkapp.com/developer',
  setup: {
    where: 'the server > the message stream > Webhooks > Add webhook > Webhook URL',
    url: 'https://postmarkapp.com/support/article/1067-how-do-i-enable-delivery-webhooks',
  },
  detect: [
    { json: { RecordType: true, MessageID: true, ServerID: true }, order: 55 },
    { json: { FromFull: true, MailboxHash: true, MessageStream: true }, order: 55 },
    { userAgent: 'Postmark', order: 55 },
  ],
  eventType: ['json:RecordType'],
  action: ['Type'],
  preview: [['Recipient', 'Email', 'From'], 'Subject', ['Details', 'Description', 'OriginalLink'], 'MessageStream'],
  signatures: [],
  secretHint: null,
};
