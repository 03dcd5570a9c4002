import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const razorpay: Platform = {
  name: 'razorpay',
  title: 'Razorpay',
  docsUrl: 'https://razorpay.com/docs',
  detect: [{ anyHeader: ['x-razorpay-signature', 'x-razorpay-event-id'], order: 20 }],
  eventType: ['json:event'],
  signatures: [hmac('x-razorpay-signature')],
  secretHint: 'Account & Settings > Webhooks > the webhook > Secret',
};
