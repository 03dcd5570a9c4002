import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const recurly: Platform = {
  name: 'recurly',
  title: 'Recurly',
  docsUrl: 'https://docs.recurly.com',
  detect: [{ anyHeader: ['recurly-signature'], order: 26 }],
  eventType: ['json:event_type', 'json:object_type'],
  signatures: [customScheme('recurly', 'recurly-signature', { label: 'hmac-sha256' })],
  secretHint: 'Integrations > Webhooks > the endpoint > Secret key',
};
