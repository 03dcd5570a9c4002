/* https://shopify.dev/docs/api/webhooks */
import { type Fresh, jsonRequest, type Sample, type SampleRequest } from '../engine/sample.ts';

const event = (fresh: Fresh, topic: string, payload: object): SampleRequest =>
  jsonRequest(
    {
      'User-Agent': 'Shopify-Captain-Hook',
      'X-Shopify-API-Version': '2025-10',
      'X-Shopify-Event-Id': fresh.uuid(),
      'X-Shopify-Shop-Domain': 'example-shop.myshopify.com',
      'X-Shopify-Test': 'true',
      'X-Shopify-Topic': topic,
      'X-Shopify-Triggered-At': fresh.iso(-1),
      'X-Shopify-Webhook-Id': fresh.uuid(),
    },
    payload,
  );

const customer = (fresh: Fresh) => ({
  id: fresh.number(13),
  email: 'john@example.com',
  created_at: fresh.iso(-86_400),
  first_name: 'John',
  last_name: 'Smith',
  state: 'enabled',
  verified_email: true,
  tax_exempt: false,
  phone: null,
  tags: '',
  currency: 'EUR',
});

const order = (fresh: Fresh, financialStatus: string) => {
  const id = fresh.number(13);
  return {
    id,
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    confirmed: true,
    contact_email: 'john@example.com',
    created_at: fresh.iso(-5),
    currency: 'EUR',
    current_total_price: '398.00',
    email: 'john@example.com',
    financial_status: financialStatus,
    fulfillment_status: null,
    name: '#1042',
    note: null,
    number: 42,
    order_number: 1042,
    processed_at: fresh.iso(-5),
    subtotal_price: '388.00',
    test: true,
    total_price: '398.00',
    total_shipping_price_set: { shop_money: { amount: '10.00', currency_code: 'EUR' } },
    total_tax: '0.00',
    updated_at: fresh.iso(-1),
    customer: customer(fresh),
    line_items: [
      { id: fresh.number(13), title: 'IPod Nano - 8GB', quantity: 1, price: '199.00', sku: 'IPOD2008PINK' },
      { id: fresh.number(13), title: 'IPod Nano - 8GB', quantity: 1, price: '189.00', sku: 'IPOD2008RED' },
    ],
    shipping_address: {
      first_name: 'Steve',
      last_name: 'Shipper',
      address1: '123 Shipping Street',
      city: 'Shippington',
      zip: '40003',
      country_code: 'US',
    },
  };
};

const product = (fresh: Fresh) => {
  const id = fresh.number(13);
  return {
    id,
    admin_graphql_api_id: `gid://shopify/Product/${id}`,
    title: 'Example T-Shirt',
    body_html: null,
    vendor: 'Acme',
    product_type: 'Shirts',
    handle: 'example-t-shirt',
    status: 'active',
    tags: 'example, mens, t-shirt',
    created_at: fresh.iso(-86_400),
    updated_at: fresh.iso(-1),
    published_at: fresh.iso(-3600),
    variants: [{ id: fresh.number(13), product_id: id, title: 'Small', price: '19.99', sku: 'example-shirt-s' }],
  };
};

const shop = (fresh: Fresh) => ({
  id: fresh.number(9),
  name: 'Example Shop',
  email: 'shop@example.com',
  domain: 'example-shop.com',
  myshopify_domain: 'example-shop.myshopify.com',
  country: 'DE',
  currency: 'EUR',
  plan_name: 'basic',
  created_at: fresh.iso(-8_640_000),
  updated_at: fresh.iso(-1),
});

export const shopify: readonly Sample[] = [
  {
    name: 'orders/create',
    title: 'Order created',
    build: fresh => event(fresh, 'orders/create', order(fresh, 'pending')),
  },
  { name: 'orders/paid', title: 'Order paid', build: fresh => event(fresh, 'orders/paid', order(fresh, 'paid')) },
  {
    name: 'customers/create',
    title: 'Customer created',
    build: fresh => event(fresh, 'customers/create', customer(fresh)),
  },
  {
    name: 'products/update',
    title: 'Product updated',
    build: fresh => event(fresh, 'products/update', product(fresh)),
  },
  { name: 'app/uninstalled', title: 'App uninstalled', build: fresh => event(fresh, 'app/uninstalled', shop(fresh)) },
];
