import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const paypal: Platform = {
  name: 'paypal',
  title: 'PayPal',
  docsUrl: 'https://developer.paypal.com',
  detect: [
    {
      anyHeader: ['paypal-transmission-id', 'paypal-transmission-sig', 'paypal-auth-algo', 'paypal-cert-url'],
      order: 20,
    },
  ],
  eventType: ['json:event_type'],
  signatures: [
    customScheme('paypal', 'paypal-transmission-sig', {
      keyFormat: 'id-and-certificate',
      proves: 'origin',
      note: 'the body is covered by a CRC-32 only',
    }),
  ],
  secretHint:
    'Developer dashboard > the app > Webhooks > Webhook ID, a bar, and the PEM certificate behind the PayPal-Cert-Url header',
};
