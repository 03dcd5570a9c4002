import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const bitbucket: Platform = {
  name: 'bitbucket',
  title: 'Bitbucket Cloud',
  docsUrl: 'https://support.atlassian.com/bitbucket-cloud/',
  setup: {
    where: 'the repository > Repository settings > Webhooks > Add webhook > URL',
    url: 'https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/',
  },
  detect: [
    { allHeaders: ['x-event-key', 'x-hook-uuid'], order: 22 },
    { userAgent: 'Bitbucket-Webhooks/2.0', order: 22 },
  ],
  eventType: ['header:x-event-key'],
  preview: [
    ['pullrequest.title', 'issue.title', 'push.changes.0.new.target.message', 'commit_status.name'],
    ['#{pullrequest.id}', '#{issue.id}', 'push.changes.0.new.name'],
    'repository.full_name',
    ['commit_status.state', 'actor.display_name'],
  ],
  signatures: [hmac('x-hub-signature', { prefix: 'sha256=' })],
  secretHint: 'Repository settings > Webhooks > the webhook > Secret',
};
