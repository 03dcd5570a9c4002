import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const bitbucketServer: Platform = {
  name: 'bitbucket-server',
  title: 'Bitbucket Data Center',
  docsUrl: 'https://confluence.atlassian.com/bitbucketserver/',
  detect: [{ allHeaders: ['x-event-key'], absentHeaders: ['x-hook-uuid'], order: 23 }],
  eventType: ['header:x-event-key'],
  preview: [
    'pullRequest.title',
    ['#{pullRequest.id}', 'changes.0.ref.displayId'],
    ['actor.displayName', 'actor.name'],
    ['repository.name', 'pullRequest.toRef.repository.name'],
  ],
  signatures: [hmac('x-hub-signature', { prefix: 'sha256=' })],
  secretHint: 'Repository settings > Webhooks > the webhook > Secret',
};
