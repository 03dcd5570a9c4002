/* Signature forms that many senders share. They are tried for signed deliveries of unknown platforms. */
import { bodyHmac, hmac, namedHashHmac, standardWebhooks } from './engine/schemes.ts';

export const genericSchemes = [
  standardWebhooks('webhook', { keyFormat: 'whsec-or-text' }),
  standardWebhooks('svix', { keyFormat: 'whsec-or-text' }),
  hmac('x-hub-signature-256', { prefix: 'sha256=' }),
  namedHashHmac('x-hub-signature'),
  bodyHmac('x-signature'),
  bodyHmac('x-signature-256'),
  bodyHmac('x-webhook-signature'),
  bodyHmac('x-webhook-signature-256'),
  bodyHmac('webhook-signature'),
];
