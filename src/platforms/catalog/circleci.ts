import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const circleci: Platform = {
  name: 'circleci',
  title: 'CircleCI',
  docsUrl: 'https://circleci.com/docs',
  detect: [{ anyHeader: ['circleci-event-type', 'circleci-signature'], order: 20 }],
  eventType: ['header:circleci-event-type', 'json:type'],
  signatures: [hmac('circleci-signature', { list: { separator: ',', signature: 'v1' } })],
  secretHint: 'Project Settings > Webhooks > the webhook > Secret token',
};
