import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const mercadopago: Platform = {
  name: 'mercadopago',
  title: 'Mercado Pago',
  docsUrl: 'https://www.mercadopago.com/developers',
  detect: [{ headerValues: { 'x-signature': /^ts=/ }, order: 34 }],
  eventType: ['json:type', 'json:action'],
  signatures: [
    customScheme('mercadopago', 'x-signature', {
      proves: 'origin',
      note: 'only the id, the request id and the time are signed',
    }),
  ],
  secretHint: 'Your integrations > the application > Webhooks > Secret signature',
};
