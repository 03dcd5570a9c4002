import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const chargify: Platform = {
  name: 'chargify',
  title: 'Maxio Advanced Billing',
  docsUrl: 'https://developers.maxio.com',
  detect: [{ anyHeader: ['x-chargify-webhook-signature-hmac-sha-256'], order: 26 }],
  eventType: ['form:event'],
  preview: [
    'payload[subscription][customer][email]',
    'payload[subscription][product][name]',
    'payload[subscription][state]',
    'payload[subscription][id]',
  ],
  signatures: [hmac('x-chargify-webhook-signature-hmac-sha-256')],
  secretHint: "Config > Settings > Webhooks, or the site's shared key",
};
