import type { Platform } from '../engine/platform.ts';
import { standardWebhooks, token } from '../engine/schemes.ts';
import { standardWebhooksIds } from '../shared-delivery-ids.ts';

export const gitlab: Platform = {
  name: 'gitlab',
  title: 'GitLab',
  docsUrl: 'https://docs.gitlab.com',
  setup: {
    where: 'the project or group > Settings > Webhooks > Add new webhook > URL',
    url: 'https://docs.gitlab.com/user/project/integrations/webhooks/',
  },
  detect: [
    { anyHeader: ['x-gitlab-event', 'x-gitlab-event-uuid', 'x-gitlab-webhook-uuid', 'x-gitlab-instance'], order: 20 },
  ],
  eventType: ['header:x-gitlab-event', 'json:object_kind', 'json:event_name'],
  deliveryId: [
    {
      header: 'Idempotency-Key',
      source: 'https://docs.gitlab.com/user/project/integrations/webhooks/#delivery-headers',
    },
    ...standardWebhooksIds,
  ],
  action: ['object_attributes.action', 'object_attributes.status', 'build_status'],
  preview: [
    ['object_attributes.title', 'object_attributes.note', 'commits.0.title', 'commits.0.message'],
    ['#{object_attributes.iid}', 'object_attributes.ref', 'build_name'],
    ['project.path_with_namespace', 'group.full_path', 'project_name'],
    ['object_attributes.action', 'object_attributes.status', 'build_status', 'ref'],
  ],
  signatures: [token('x-gitlab-token'), standardWebhooks('webhook')],
  secretHint: 'Settings > Webhooks > the webhook > Secret token or Signing token',
};
