import { type DeliveryReader, valueAt } from '../engine/delivery-reader.ts';
import { plainText } from '../engine/handshake-answers.ts';
import { checkVerifyToken } from '../engine/handshakes.ts';
import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const meta: Platform = {
  name: 'meta',
  aliases: ['facebook', 'instagram', 'whatsapp', 'messenger', 'threads'],
  title: 'Meta',
  docsUrl: 'https://developers.facebook.com/docs',
  setup: {
    where: 'App Dashboard > Webhooks > Callback URL, with a verify token that you choose',
    url: 'https://developers.facebook.com/docs/graph-api/webhooks/getting-started',
  },
  detect: [
    {
      absentHeaders: ['x-github-event'],
      json: {
        object: ['page', 'user', 'instagram', 'whatsapp_business_account', 'permissions', 'application'],
        'entry.0': true,
      },
      order: 35,
    },
  ],
  eventType: [
    'json:entry.0.changes.0.field',
    { description: '`messaging` when the entry has messages', read: readMessaging },
    'json:object',
  ],
  action: ['entry.0.changes.0.value.statuses.0.status', 'entry.0.changes.0.value.verb'],
  preview: [
    [
      'entry.0.changes.0.value.contacts.0.profile.name',
      'entry.0.changes.0.value.from.name',
      'entry.0.changes.0.value.from.username',
      'entry.0.messaging.0.sender.id',
    ],
    [
      'entry.0.changes.0.value.messages.0.text.body',
      'entry.0.changes.0.value.message',
      'entry.0.messaging.0.message.text',
    ],
    ['entry.0.changes.0.value.statuses.0.status', 'entry.0.changes.0.value.item', 'entry.0.changes.0.value.verb'],
    'entry.0.id',
  ],
  signatures: [
    hmac('x-hub-signature-256', { prefix: 'sha256=' }),
    hmac('x-hub-signature', { prefix: 'sha1=', hash: 'sha1' }),
  ],
  secretHint: 'App dashboard > App settings > Basic > App secret; for the handshake also the verify token you chose',
  takesVerifyToken: true,
  handshakes: [
    checkVerifyToken(
      '`GET ?hub.verify_token=`: Hooktape returns the challenge if the token is saved as a Meta secret, otherwise 403.',
      plainText,
    ),
  ],
};

/** Messenger entries have no field name. */
function readMessaging(reader: DeliveryReader): string | undefined {
  return Array.isArray(valueAt(reader.json(), 'entry.0.messaging')) ? 'messaging' : undefined;
}
