import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const onfleet: Platform = {
  name: 'onfleet',
  title: 'Onfleet',
  docsUrl: 'https://docs.onfleet.com',
  detect: [{ anyHeader: ['x-onfleet-signature'], order: 26 }],
  eventType: ['json:triggerName'],
  signatures: [hmac('x-onfleet-signature', { hash: 'sha512', keyFormat: 'hex' })],
  secretHint: 'Settings > API & Webhooks > Webhook secret',
  handshake: '`GET ?check=`: the value is sent back.',
};
