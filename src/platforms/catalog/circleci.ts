import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const circleci: Platform = {
  name: 'circleci',
  title: 'CircleCI',
  docsUrl: 'https://circleci.com/docs',
  setup: {
    where: 'Project Settings > Webhooks > Add Webhook > URL',
    url: 'https://circleci.com/docs/guides/integration/outbound-webhooks/',
  },
  detect: [{ anyHeader: ['circleci-event-type', 'circleci-signature'], order: 20 }],
  eventType: ['header:circleci-event-type', 'json:type'],
  deliveryId: [{ body: 'id', source: 'https://circleci.com/docs/reference/outbound-webhooks-reference/' }],
  action: ['workflow.status', 'job.status'],
  preview: [['job.name', 'workflow.name'], 'pipeline.vcs.branch', 'project.slug', ['job.status', 'workflow.status']],
  signatures: [hmac('circleci-signature', { list: { separator: ',', signature: 'v1' } })],
  secretHint: 'Project Settings > Webhooks > the webhook > Secret token',
};
