import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const quickbooks: Platform = {
  name: 'quickbooks',
  title: 'QuickBooks Online',
  docsUrl: 'https://developer.intuit.com',
  detect: [{ anyHeader: ['intuit-signature'], order: 26 }],
  eventType: ['json:eventNotifications.0.dataChangeEvent.entities.0.name'],
  action: ['eventNotifications.0.dataChangeEvent.entities.0.operation'],
  preview: [
    'eventNotifications.0.dataChangeEvent.entities.0.operation',
    'eventNotifications.0.dataChangeEvent.entities.0.id',
    'eventNotifications.0.realmId',
  ],
  signatures: [hmac('intuit-signature', { encoding: 'base64' })],
  secretHint: 'Developer portal > the app > Webhooks > Verifier token',
};
