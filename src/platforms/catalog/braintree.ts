import { braintreeKind } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const braintree: Platform = {
  name: 'braintree',
  title: 'Braintree',
  docsUrl: 'https://developer.paypal.com/braintree/docs',
  detect: [
    { form: { bt_signature: true, bt_payload: true }, order: 35 },
    { methods: ['GET'], query: { bt_challenge: /^[0-9a-f]{20,32}$/i }, order: 35 },
  ],
  eventType: [braintreeKind],
  signatures: [customScheme('braintree', null, { keyFormat: 'pair' })],
  secretHint: 'Control Panel > API: public and private key, joined by a bar',
  handshake: '`GET ?bt_challenge=`: answered with the registered key pair.',
};
