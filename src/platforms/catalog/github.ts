import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';
import { forgePreview } from '../shared-previews.ts';

export const github: Platform = {
  name: 'github',
  title: 'GitHub',
  docsUrl: 'https://docs.github.com/webhooks',
  setup: {
    where:
      'the repository or organization > Settings > Webhooks > Add webhook > Payload URL, with the content type application/json',
    url: 'https://docs.github.com/webhooks/using-webhooks/creating-webhooks',
  },
  detect: [
    {
      anyHeader: ['x-github-event', 'x-github-delivery'],
      absentHeaders: ['x-gitea-event', 'x-forgejo-event', 'x-gogs-event'],
      order: 24,
    },
  ],
  eventType: ['header:x-github-event', 'json:action'],
  deliveryId: [
    {
      header: 'X-GitHub-Delivery',
      source:
        'https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks#use-the-x-github-delivery-header',
    },
  ],
  action: ['action'],
  preview: forgePreview,
  signatures: [
    hmac('x-hub-signature-256', { prefix: 'sha256=' }),
    hmac('x-hub-signature', { prefix: 'sha1=', hash: 'sha1' }),
  ],
  secretHint: 'Settings > Webhooks > the webhook > Secret',
};
