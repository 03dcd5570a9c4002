import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const intercom: Platform = {
  name: 'intercom',
  title: 'Intercom',
  docsUrl: 'https://developers.intercom.com',
  detect: [{ json: { type: 'notification_event', topic: true, app_id: true }, order: 35 }],
  eventType: ['json:topic'],
  signatures: [hmac('x-hub-signature', { prefix: 'sha1=', hash: 'sha1' })],
  secretHint: 'Developer Hub > the app > Basic information > Client secret',
};
