import { payloadField } from '../engine/body-variants.ts';
import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';
import { forgePreview } from '../shared-previews.ts';

export const forgejo: Platform = {
  name: 'forgejo',
  title: 'Forgejo',
  docsUrl: 'https://forgejo.org/docs/',
  detect: [{ anyHeader: ['x-forgejo-event', 'x-forgejo-delivery', 'x-forgejo-signature'], order: 21 }],
  eventType: ['header:x-forgejo-event', 'header:x-forgejo-event-type'],
  deliveryId: [
    { header: 'X-Forgejo-Delivery', source: 'https://forgejo.org/docs/latest/user/webhooks/' },
    { header: 'X-Gitea-Delivery', source: 'https://forgejo.org/docs/latest/user/webhooks/' },
  ],
  preview: forgePreview,
  signatures: [
    hmac('x-forgejo-signature', {
      alternativeHeaders: [{ header: 'x-gitea-signature' }, { header: 'x-hub-signature-256', prefix: 'sha256=' }],
      bodyVariants: payloadField,
      signsVariant: true,
    }),
  ],
  secretHint: 'Repository settings > Webhooks > the webhook > Secret',
};
