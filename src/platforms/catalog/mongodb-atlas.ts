import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const mongodbAtlas: Platform = {
  name: 'mongodb-atlas',
  title: 'MongoDB Atlas',
  docsUrl: 'https://www.mongodb.com/docs/atlas/',
  detect: [{ anyHeader: ['x-mms-signature'], order: 26 }],
  eventType: ['json:eventTypeName'],
  preview: ['clusterName', 'status', ['metricName', 'eventTypeName'], 'hostnameAndPort'],
  signatures: [hmac('x-mms-signature', { hash: 'sha1', encoding: 'base64' })],
  secretHint: 'Project settings > Integrations > Webhook > Webhook secret',
};
