import type { Platform } from '../engine/platform.ts';
import { publicKey } from '../engine/schemes.ts';

export const circle: Platform = {
  name: 'circle',
  title: 'Circle',
  docsUrl: 'https://developers.circle.com',
  detect: [{ anyHeader: ['x-circle-signature', 'x-circle-key-id'], order: 20 }],
  eventType: ['json:notificationType'],
  deliveryId: [{ body: 'notificationId', source: 'https://developers.circle.com/wallets/webhook-notification-flows' }],
  preview: [
    ['{notification.amount.amount} {notification.amount.currency}', 'notification.amounts.0'],
    ['notification.state', 'notification.status'],
    'notification.blockchain',
    'notification.id',
  ],
  signatures: [publicKey('x-circle-signature', 'public-key')],
  secretHint: 'The public key for the X-Circle-Key-Id header; get it once with your API key',
};
