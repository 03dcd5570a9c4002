/* More payment providers. Each sample follows the example of the provider's documentation, which the platform's row links. */
import { formRequest, jsonRequest, type Sample } from '../engine/sample.ts';

/** The signature is added to `additionalData`. */
export const adyen: readonly Sample[] = [
  {
    name: 'AUTHORISATION',
    title: 'Payment authorised',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'Adyen HttpClient 1.0' },
        {
          live: 'false',
          notificationItems: [
            {
              NotificationRequestItem: {
                additionalData: { expiryDate: '03/2030', cardSummary: '7777', hmacSignature: 'unsigned' },
                amount: { currency: 'EUR', value: 10_100 },
                eventCode: 'AUTHORISATION',
                eventDate: fresh.iso(-1),
                merchantAccountCode: 'TestMerchant',
                merchantReference: `order-${fresh.digits(6)}`,
                operations: ['CANCEL', 'CAPTURE', 'REFUND'],
                paymentMethod: 'visa',
                pspReference: fresh.text(16).toUpperCase(),
                reason: '839405:7777:03/2030',
                success: 'true',
              },
            },
          ],
        },
      ),
  },
];

export const mercadopago: readonly Sample[] = [
  {
    name: 'payment',
    title: 'Payment updated',
    build: fresh => {
      const paymentId = fresh.digits(11);
      return {
        ...jsonRequest(
          { 'User-Agent': 'MercadoPago WebHook v1.0 payment', 'X-Request-Id': fresh.uuid() },
          {
            action: 'payment.updated',
            api_version: 'v1',
            data: { id: paymentId },
            date_created: fresh.iso(-1),
            id: fresh.number(12),
            live_mode: false,
            type: 'payment',
            user_id: '44444',
          },
        ),
        query: `data.id=${paymentId}&type=payment`,
      };
    },
  },
];

/** Without the signature, for which PayPal has a private key. */
export const paypal: readonly Sample[] = [
  {
    name: 'PAYMENT.CAPTURE.COMPLETED',
    title: 'Payment captured',
    build: fresh =>
      jsonRequest(
        {
          'User-Agent': 'PayPal/AUHD-214.0-58843480',
          'PAYPAL-TRANSMISSION-ID': fresh.uuid(),
          'PAYPAL-TRANSMISSION-TIME': fresh.iso(-1),
        },
        {
          id: `WH-${fresh.text(17).toUpperCase()}-${fresh.text(17).toUpperCase()}`,
          event_version: '1.0',
          create_time: fresh.iso(-2),
          resource_type: 'capture',
          event_type: 'PAYMENT.CAPTURE.COMPLETED',
          summary: 'Payment completed for USD 2.51',
          resource: {
            id: fresh.text(17).toUpperCase(),
            amount: { currency_code: 'USD', value: '2.51' },
            final_capture: true,
            status: 'COMPLETED',
            create_time: fresh.iso(-3),
          },
        },
      ),
  },
];

export const mollie: readonly Sample[] = [
  {
    name: 'payment-link.paid',
    title: 'Payment link paid',
    build: fresh => {
      const link = `pl_${fresh.text(22)}`;
      return jsonRequest(
        { 'User-Agent': 'Mollie HTTP client/1.0' },
        {
          resource: 'event',
          id: `event_${fresh.text(21)}`,
          type: 'payment-link.paid',
          entityId: link,
          createdAt: fresh.iso(-1),
          _embedded: {
            entity: {
              resource: 'payment-link',
              id: link,
              mode: 'test',
              description: 'Bicycle tires',
              amount: { currency: 'EUR', value: '24.95' },
              paidAt: fresh.iso(-2),
            },
          },
        },
      );
    },
  },
];

/** The signature is in a separate field. */
export const braintree: readonly Sample[] = [
  {
    name: 'subscription_charged_successfully',
    title: 'Subscription charged',
    build: fresh => {
      const xml =
        '<?xml version="1.0" encoding="UTF-8"?>\n<notification>\n' +
        '  <kind>subscription_charged_successfully</kind>\n' +
        `  <timestamp type="datetime">${fresh.iso(-1)}</timestamp>\n` +
        `  <subject>\n    <subscription>\n      <id>${fresh.hex(6)}</id>\n      <status>Active</status>\n    </subscription>\n  </subject>\n` +
        '</notification>\n';
      return formRequest(
        { 'User-Agent': 'Braintree-Webhooks' },
        { bt_signature: 'unsigned', bt_payload: `${Buffer.from(xml).toString('base64')}\n` },
      );
    },
  },
];
