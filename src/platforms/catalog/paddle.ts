import type { Platform } from '../engine/model.ts';
import { customScheme, hmac } from '../engine/schemes.ts';

export const paddle: Platform = {
  name: 'paddle',
  title: 'Paddle',
  docsUrl: 'https://developer.paddle.com',
  detect: [
    { anyHeader: ['paddle-signature'], order: 20 },
    { form: { p_signature: true, alert_name: true }, order: 50 },
  ],
  eventType: ['json:event_type', 'form:alert_name'],
  signatures: [
    hmac('paddle-signature', {
      list: { separator: ';', signature: 'h1', timestamp: 'ts' },
      message: '{ts}:{body}',
      time: { from: 'value:ts', unit: 's', toleranceSeconds: 300 },
    }),
    customScheme('paddle-classic', null, { label: 'rsa-sha1', keyFormat: 'public-key', note: 'Paddle Classic' }),
  ],
  secretHint: 'Developer tools > Notifications > the destination > Secret key; Paddle Classic: the public key',
  notes: "The window is 300 seconds where Paddle's own library takes 5: the clocks of two machines differ by more.",
};
