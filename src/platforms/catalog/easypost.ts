import type { DeliveryReader } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const easypost: Platform = {
  name: 'easypost',
  title: 'EasyPost',
  docsUrl: 'https://docs.easypost.com',
  detect: [
    { anyHeader: ['x-hmac-signature'], order: 20 },
    { json: { description: true, object: 'Event', result: true }, order: 50 },
  ],
  eventType: ['json:description'],
  deliveryId: [{ body: 'id', source: 'https://docs.easypost.com/docs/events' }],
  preview: ['result.tracking_code', 'result.status', 'result.carrier', 'result.id'],
  signatures: [hmac('x-hmac-signature', { prefix: 'hmac-sha256-hex=', keyFormat: 'nfkd', bodyVariants: floatWeights })],
  secretHint: 'The webhook_secret you chose when you created the webhook',
};

/** EasyPost signs whole weights as floats: `"weight": 1.0`, delivered as `"weight": 1`. */
function* floatWeights(reader: DeliveryReader): Generator<Uint8Array> {
  const text = reader.text();
  const rewritten = text.replace(/("weight":\s{0,8}\d{1,20})(?=\s{0,8}[,}])/g, '$1.0');
  if (rewritten !== text) yield Buffer.from(rewritten, 'utf8');
}
