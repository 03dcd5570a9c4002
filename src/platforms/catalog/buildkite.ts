import type { Platform } from '../engine/platform.ts';
import { hmac, token } from '../engine/schemes.ts';

export const buildkite: Platform = {
  name: 'buildkite',
  title: 'Buildkite',
  docsUrl: 'https://buildkite.com/docs',
  setup: {
    where: 'the organization’s settings > Notification Services > Webhook > Webhook URL',
    url: 'https://buildkite.com/docs/apis/webhooks/pipelines',
  },
  detect: [{ anyHeader: ['x-buildkite-event', 'x-buildkite-signature', 'x-buildkite-token'], order: 20 }],
  eventType: ['header:x-buildkite-event', 'json:event'],
  action: ['build.state'],
  preview: ['build.message', '#{build.number}', 'pipeline.slug', ['job.state', 'build.state']],
  signatures: [
    hmac('x-buildkite-signature', {
      list: { separator: ',', signature: 'signature', timestamp: 'timestamp' },
      message: '{timestamp}.{body}',
      timestamp: { from: 'value:timestamp', unit: 's', toleranceSeconds: 300 },
    }),
    token('x-buildkite-token'),
  ],
  secretHint: 'Notification Services > the webhook > Token',
};
