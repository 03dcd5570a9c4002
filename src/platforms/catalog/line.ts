import type { Platform } from '../engine/platform.ts';
import { ofOnlyItem } from '../engine/readers.ts';
import { hmac } from '../engine/schemes.ts';

export const line: Platform = {
  name: 'line',
  title: 'LINE',
  docsUrl: 'https://developers.line.biz',
  detect: [{ anyHeader: ['x-line-signature'], order: 20 }],
  eventType: ['json:events.0.type'],
  deliveryId: [
    {
      body: ofOnlyItem('webhookEventId', 'events'),
      source: 'https://developers.line.biz/en/reference/messaging-api/#common-properties',
    },
  ],
  action: ['events.0.message.type'],
  preview: ['events.0.message.text', 'events.0.message.type', 'events.0.source.userId'],
  signatures: [hmac('x-line-signature', { encoding: 'base64' })],
  secretHint: 'LINE Developers Console > the channel > Basic settings > Channel secret',
};
