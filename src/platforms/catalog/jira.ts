import type { Platform } from '../engine/platform.ts';
import { hmac, jwt } from '../engine/schemes.ts';

export const jira: Platform = {
  name: 'jira',
  title: 'Jira',
  docsUrl: 'https://developer.atlassian.com',
  setup: {
    where: 'Settings > System > WebHooks > Create a WebHook > URL',
    url: 'https://developer.atlassian.com/cloud/jira/platform/webhooks/',
  },
  detect: [
    { anyHeader: ['x-atlassian-webhook-identifier'], order: 25 },
    { json: { webhookEvent: true }, order: 50 },
  ],
  eventType: ['json:webhookEvent', 'json:issue_event_type_name'],
  deliveryId: [
    {
      header: 'X-Atlassian-Webhook-Identifier',
      source: 'https://developer.atlassian.com/cloud/jira/platform/webhooks/',
    },
  ],
  action: ['issue_event_type_name'],
  preview: [
    ['comment.author.displayName', 'user.displayName'],
    'issue.fields.summary',
    ['issue.key', 'project.key', 'sprint.name', 'version.name'],
    'issue.fields.status.name',
  ],
  signatures: [
    hmac('x-hub-signature', { prefix: 'sha256=' }),
    jwt('authorization', 'jwt-hs256', {
      prefix: 'JWT ',
      note: 'Connect apps; the body is not covered',
    }),
  ],
  secretHint: 'Settings > System > WebHooks > the webhook > Secret; for a Connect app its shared secret',
  notes: 'The `qsh` claim of Connect tokens is not compared.',
};
