import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const sentry: Platform = {
  name: 'sentry',
  title: 'Sentry',
  docsUrl: 'https://docs.sentry.io',
  setup: {
    where: 'Settings > Developer Settings > Create New Integration > Internal Integration > Webhook URL',
    url: 'https://docs.sentry.io/organization/integrations/integration-platform/',
  },
  detect: [{ anyHeader: ['sentry-hook-resource', 'sentry-hook-signature'], order: 20 }],
  eventType: ['header:sentry-hook-resource', 'json:action'],
  action: ['action'],
  preview: [
    ['data.issue.title', 'data.event.title', 'data.error.title', 'data.description_title', 'data.comment'],
    ['data.issue.shortId', 'data.event.issue_id', 'data.error.issue_id'],
    ['data.issue.project.slug', 'data.project_slug'],
    'action',
  ],
  signatures: [hmac('sentry-hook-signature')],
  secretHint: 'Settings > Developer Settings > the integration > Client secret',
};
