import type { Platform } from '../engine/platform.ts';

export const paypalIpn: Platform = {
  name: 'paypal-ipn',
  title: 'PayPal IPN',
  docsUrl: 'https://developer.paypal.com',
  detect: [
    { form: { verify_sign: true, ipn_track_id: true }, order: 60 },
    { form: { verify_sign: true, txn_type: true }, order: 60 },
    { userAgent: 'PayPal IPN', order: 60 },
  ],
  eventType: ['form:txn_type', 'form:payment_status'],
  action: ['payment_status'],
  preview: ['{mc_gross} {mc_currency}', 'payer_email', 'payment_status', 'txn_id'],
  signatures: [],
  secretHint: null,
  notes: 'Can only be verified by posting the message back to PayPal, which Hooktape does not do.',
};
