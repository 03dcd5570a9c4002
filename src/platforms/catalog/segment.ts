import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const segment: Platform = {
  name: 'segment',
  title: 'Twilio Segment',
  docsUrl: 'https://segment.com/docs',
  setup: {
    where: 'Catalog > Webhooks > Configure > Webhook URL',
    url: 'https://segment.com/docs/connections/destinations/catalog/webhooks/',
  },
  detect: [
    {
      json: { messageId: true, type: ['track', 'identify', 'page', 'screen', 'group', 'alias'], anonymousId: true },
      order: 40,
    },
    {
      json: { messageId: true, type: ['track', 'identify', 'page', 'screen', 'group', 'alias'], userId: true },
      order: 40,
    },
  ],
  eventType: ['json:type', 'json:event'],
  deliveryId: [{ body: 'messageId', source: 'https://segment.com/docs/connections/spec/common/' }],
  action: ['event'],
  preview: ['properties.revenue', ['event', 'name'], 'context.page.path', ['userId', 'anonymousId']],
  signatures: [
    hmac('x-signature', {
      hash: 'sha1',
      note: "in a batch only the first event is signed, so the delivery can't be verified",
    }),
  ],
  secretHint: 'Destinations > the webhook > Settings > Shared secret',
};
