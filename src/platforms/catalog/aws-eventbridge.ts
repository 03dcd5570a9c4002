import type { Platform } from '../engine/platform.ts';
import { token } from '../engine/schemes.ts';

export const awsEventbridge: Platform = {
  name: 'aws-eventbridge',
  title: 'Amazon EventBridge',
  docsUrl: 'https://docs.aws.amazon.com/eventbridge/',
  detect: [
    { json: { 'detail-type': true, source: true, detail: true }, order: 50 },
    { userAgent: 'Amazon/EventBridge/ApiDestinations', order: 50 },
  ],
  eventType: ['json:detail-type'],
  deliveryId: [{ body: 'id', source: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events.html' }],
  action: ['detail.state', 'detail.status'],
  preview: ['source', ['detail.state', 'detail.status'], 'resources.0', 'region'],
  signatures: [token('authorization')],
  secretHint: 'The value of the Authorization header that the connection sends',
};
