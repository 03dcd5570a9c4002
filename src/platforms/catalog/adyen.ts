import type { Platform } from '../engine/model.ts';
import { customScheme, hmac } from '../engine/schemes.ts';

export const adyen: Platform = {
  name: 'adyen',
  title: 'Adyen',
  docsUrl: 'https://docs.adyen.com',
  detect: [
    { anyHeader: ['hmacsignature'], order: 35 },
    { json: { 'notificationItems.0.NotificationRequestItem': true }, order: 45 },
  ],
  eventType: ['json:notificationItems.0.NotificationRequestItem.eventCode', 'json:type'],
  signatures: [
    customScheme('adyen-items', null, {
      keyFormat: 'hex',
      proves: 'origin',
      note: 'eight fields of each item are signed; all items must pass',
    }),
    hmac('hmacsignature', { encoding: 'base64', keyFormat: 'hex' }),
  ],
  secretHint: 'Customer Area > Developers > Webhooks > the webhook > HMAC key',
  notes:
    'Any 2xx answer is taken by current Adyen webhooks; old integrations that insist on `[accepted]` are not served.',
};
