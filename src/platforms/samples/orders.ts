/* Orders and parcels. Each sample follows the example of the provider's documentation, which the platform's row links. */
import { jsonRequest, type Sample } from '../engine/sample.ts';

export const woocommerce: readonly Sample[] = [
  {
    name: 'order.created',
    title: 'Order created',
    build: fresh => {
      const id = fresh.number(4);
      return jsonRequest(
        {
          'User-Agent': 'WooCommerce/10.3.4 Hookshot (WordPress/6.8.3)',
          'X-WC-Webhook-Delivery-ID': fresh.hex(32),
          'X-WC-Webhook-Event': 'created',
          'X-WC-Webhook-ID': '142',
          'X-WC-Webhook-Resource': 'order',
          'X-WC-Webhook-Source': 'https://shop.example.com/',
          'X-WC-Webhook-Topic': 'order.created',
        },
        {
          id,
          number: String(id),
          order_key: `wc_order_${fresh.text(13)}`,
          created_via: 'checkout',
          status: 'processing',
          currency: 'EUR',
          date_created_gmt: fresh.iso(-2).slice(0, 19),
          total: '29.35',
          total_tax: '1.35',
          payment_method: 'bacs',
          billing: {
            first_name: 'John',
            last_name: 'Doe',
            city: 'Berlin',
            country: 'DE',
            email: 'john.doe@example.com',
          },
          line_items: [{ id: 315, name: 'Woo Single #1', product_id: 93, quantity: 2, total: '6.00', sku: 'woo-1' }],
        },
      );
    },
  },
];

export const shippo: readonly Sample[] = [
  {
    name: 'track_updated',
    title: 'Package in transit',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'Shippo' },
        {
          event: 'track_updated',
          test: true,
          data: {
            carrier: 'usps',
            tracking_number: fresh.digits(22),
            tracking_status: {
              status: 'TRANSIT',
              status_date: fresh.iso(-60),
              status_details: 'Arrived at the facility.',
            },
            eta: fresh.iso(86_400),
          },
        },
      ),
  },
];
