import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const authorizeNet: Platform = {
  name: 'authorize-net',
  title: 'Authorize.Net',
  docsUrl: 'https://developer.authorize.net',
  detect: [{ anyHeader: ['x-anet-signature'], order: 26 }],
  eventType: ['json:eventType'],
  deliveryId: [
    { body: 'notificationId', source: 'https://developer.authorize.net/api/reference/features/webhooks.html' },
  ],
  preview: ['payload.authAmount', 'payload.merchantReferenceId', 'payload.entityName', 'payload.id'],
  signatures: [hmac('x-anet-signature', { prefix: 'sha512=', hash: 'sha512', keyFormat: 'hex' })],
  secretHint: 'Account > Settings > API Credentials & Keys > Signature Key',
};
