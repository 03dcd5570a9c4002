import { payloadField } from '../engine/body-variants.ts';
import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';
import { forgePreview } from '../shared-previews.ts';

export const gitea: Platform = {
  name: 'gitea',
  title: 'Gitea',
  docsUrl: 'https://docs.gitea.com',
  detect: [{ anyHeader: ['x-gitea-event', 'x-gitea-delivery'], order: 22 }],
  eventType: ['header:x-gitea-event', 'header:x-gitea-event-type'],
  deliveryId: [{ header: 'X-Gitea-Delivery', source: 'https://docs.gitea.com/usage/webhooks' }],
  preview: forgePreview,
  signatures: [
    hmac('x-gitea-signature', {
      alternativeHeaders: [{ header: 'x-gogs-signature' }, { header: 'x-hub-signature-256', prefix: 'sha256=' }],
      bodyVariants: payloadField,
      signsVariant: true,
    }),
  ],
  secretHint: 'Repository settings > Webhooks > the webhook > Secret',
};
