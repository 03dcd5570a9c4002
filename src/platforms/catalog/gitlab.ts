import type { Platform } from '../engine/platform.ts';
import { standardWebhooks, token } from '../engine/schemes.ts';

export const gitlab: Platform = {
  name: 'gitlab',
  title: 'GitLab',
  docsUrl: 'https://docs.gitlab.com',
  detect: [
    { anyHeader: ['x-gitlab-event', 'x-gitlab-event-uuid', 'x-gitlab-webhook-uuid', 'x-gitlab-instance'], order: 20 },
  ],
  eventType: ['header:x-gitlab-event', 'json:object_kind', 'json:event_name'],
  signatures: [token('x-gitlab-token'), standardWebhooks('webhook')],
  secretHint: 'Settings > Webhooks > the webhook > Secret token or Signing token',
};
