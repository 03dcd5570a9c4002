import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const cloudflareStream: Platform = {
  name: 'cloudflare-stream',
  title: 'Cloudflare Stream',
  docsUrl: 'https://developers.cloudflare.com/stream/',
  detect: [{ headerValues: { 'webhook-signature': /^time=/ }, order: 29 }],
  eventType: ['json:status.state'],
  preview: ['meta.name', 'status.errorReasonText', 'uid'],
  signatures: [
    hmac('webhook-signature', {
      list: { separator: ',', signature: 'sig1', timestamp: 'time' },
      message: '{time}.{body}',
      timestamp: { from: 'value:time', unit: 's', toleranceSeconds: 300 },
    }),
  ],
  secretHint: 'secret, returned by the call that set the webhook',
};
