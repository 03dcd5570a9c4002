import type { DeliveryReader } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const box: Platform = {
  name: 'box',
  title: 'Box',
  docsUrl: 'https://developer.box.com',
  detect: [{ anyHeader: ['box-signature-primary', 'box-signature-version', 'box-delivery-id'], order: 20 }],
  eventType: ['json:trigger'],
  deliveryId: [{ body: 'id', source: 'https://developer.box.com/guides/webhooks/v2/' }],
  preview: ['source.name', 'source.type', 'created_by.login', 'source.id'],
  signatures: [
    hmac('box-signature-primary', {
      alternativeHeaders: [{ header: 'box-signature-secondary' }],
      encoding: 'base64',
      message: '{body}{box-delivery-timestamp}',
      bodyVariants: escapedJson,
      timestamp: { from: 'header:box-delivery-timestamp', unit: 'rfc3339', toleranceSeconds: 600 },
    }),
  ],
  secretHint: 'Developer Console > the app > Webhooks > Manage signature keys (primary and secondary)',
};

/** Box may have signed the JSON with all characters outside ASCII escaped. */
function* escapedJson(reader: DeliveryReader): Generator<Uint8Array> {
  const text = reader.text();
  const escaped = text.replace(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (escaped !== text) yield Buffer.from(escaped, 'latin1');
}
