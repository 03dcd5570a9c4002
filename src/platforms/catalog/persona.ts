import type { Platform } from '../engine/model.ts';
import { timedHmac } from '../engine/schemes.ts';

export const persona: Platform = {
  name: 'persona',
  title: 'Persona',
  docsUrl: 'https://docs.withpersona.com',
  detect: [{ anyHeader: ['persona-signature'], order: 26 }],
  eventType: ['json:data.attributes.name'],
  signatures: [timedHmac('persona-signature', { time: { from: 'value:t', unit: 's' } })],
  secretHint: 'Dashboard > Webhooks > the webhook > Secret',
};
