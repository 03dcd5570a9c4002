import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const vercel: Platform = {
  name: 'vercel',
  title: 'Vercel',
  docsUrl: 'https://vercel.com/docs',
  setup: { where: 'the team > Settings > Webhooks > Endpoint URL', url: 'https://vercel.com/docs/webhooks' },
  detect: [{ anyHeader: ['x-vercel-signature'], order: 20 }],
  eventType: ['json:type'],
  deliveryId: [{ body: 'id', source: 'https://vercel.com/docs/webhooks/webhooks-api' }],
  preview: [
    ['payload.deployment.name', 'payload.project.name', 'payload.name'],
    'payload.deployment.meta.githubCommitRef',
    ['payload.deployment.url', 'payload.url'],
    'payload.target',
  ],
  signatures: [hmac('x-vercel-signature', { hash: 'sha1' })],
  secretHint: 'The secret shown when the webhook was created; for an integration its client secret',
  notes:
    'Hooktape does not answer the log drain check (`x-vercel-verify`), because its value is a setting, not a secret.',
};
