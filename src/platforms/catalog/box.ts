import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const box: Platform = {
  name: 'box',
  title: 'Box',
  docsUrl: 'https://developer.box.com',
  detect: [{ anyHeader: ['box-signature-primary', 'box-signature-version', 'box-delivery-id'], order: 20 }],
  eventType: ['json:trigger'],
  signatures: [
    hmac('box-signature-primary', {
      alternativeHeaders: [{ header: 'box-signature-secondary' }],
      encoding: 'base64',
      message: '{body}{box-delivery-timestamp}',
      bodyVariant: 'ascii-json',
      time: { from: 'header:box-delivery-timestamp', unit: 'rfc3339', toleranceSeconds: 600 },
    }),
  ],
  secretHint: 'Developer Console > the app > Webhooks > Manage signature keys (primary and secondary)',
};
