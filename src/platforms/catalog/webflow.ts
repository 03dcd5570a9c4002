import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const webflow: Platform = {
  name: 'webflow',
  title: 'Webflow',
  docsUrl: 'https://developers.webflow.com',
  detect: [{ anyHeader: ['x-webflow-signature'], order: 26 }],
  eventType: ['json:triggerType'],
  preview: [
    ['payload.fieldData.name', 'payload.pageTitle', 'payload.name'],
    ['payload.formElementId', 'payload.slug', 'payload.orderId', 'payload.id'],
  ],
  signatures: [
    hmac('x-webflow-signature', {
      message: '{x-webflow-timestamp}:{body}',
      timestamp: { from: 'header:x-webflow-timestamp', unit: 'ms', toleranceSeconds: 300 },
    }),
  ],
  secretHint: 'secretKey of the webhook, or the client secret of the app that created it',
};
