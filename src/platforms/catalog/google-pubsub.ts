import type { Platform } from '../engine/platform.ts';
import { jwt } from '../engine/schemes.ts';

export const googlePubsub: Platform = {
  name: 'google-pubsub',
  title: 'Google Cloud Pub/Sub',
  docsUrl: 'https://cloud.google.com/pubsub/docs',
  detect: [{ json: { 'message.messageId': true, subscription: /^projects\/[^/]+\/subscriptions\// }, order: 45 }],
  eventType: ['json:message.attributes.eventType', 'json:subscription'],
  deliveryId: [{ body: 'message.messageId', source: 'https://cloud.google.com/pubsub/docs/push' }],
  preview: [
    ['message.attributes.objectId', 'message.attributes.eventType'],
    'subscription',
    'message.attributes.bucketId',
    'message.messageId',
  ],
  signatures: [
    jwt('authorization', 'jwt-rs256', {
      prefix: 'Bearer ',
      keyFormat: 'public-key',
      note: 'the body is not covered',
    }),
  ],
  secretHint: "Google's public keys as a JWK set (https://www.googleapis.com/oauth2/v3/certs)",
};
