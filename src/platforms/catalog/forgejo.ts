import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const forgejo: Platform = {
  name: 'forgejo',
  title: 'Forgejo',
  docsUrl: 'https://forgejo.org/docs/',
  detect: [{ anyHeader: ['x-forgejo-event', 'x-forgejo-delivery', 'x-forgejo-signature'], order: 21 }],
  eventType: ['header:x-forgejo-event', 'header:x-forgejo-event-type'],
  signatures: [
    hmac('x-forgejo-signature', {
      alternativeHeaders: [{ header: 'x-gitea-signature' }, { header: 'x-hub-signature-256', prefix: 'sha256=' }],
      bodyVariant: 'json-text',
    }),
  ],
  secretHint: 'Repository settings > Webhooks > the webhook > Secret',
};
