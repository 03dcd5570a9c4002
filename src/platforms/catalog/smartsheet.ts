import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const smartsheet: Platform = {
  name: 'smartsheet',
  title: 'Smartsheet',
  docsUrl: 'https://developers.smartsheet.com',
  detect: [{ anyHeader: ['smartsheet-hmac-sha256', 'smartsheet-hook-challenge'], order: 26 }],
  eventType: ['json:events.0.eventType'],
  signatures: [hmac('smartsheet-hmac-sha256')],
  secretHint: 'sharedSecret in the answer of the call that created the webhook',
  handshake: '`Smartsheet-Hook-Challenge`: the value is sent back.',
};
