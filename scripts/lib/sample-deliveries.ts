/* Deliveries for screenshots: of several senders, most with valid signatures. */
import { createHmac } from 'node:crypto';
import { deliver } from '../../src/testing/browser/dashboard.ts';

export const stripeSecret = 'whsec_screenshots_only';
export const githubSecret = 'screenshots only';
const eventTypes = [
  'charge.succeeded',
  'invoice.paid',
  'customer.subscription.updated',
  'payment_intent.created',
  'charge.refunded',
  'checkout.session.completed',
];

const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

const stripeEvent = (n: number): string => {
  const type = eventTypes[n % eventTypes.length];
  return `{"id":"evt_1Q${n}xZ8sJ","object":"event","api_version":"2026-06-30","created":1795200${100 + n},"data":{"object":{"id":"ch_3Q${n}","object":"charge","amount":${4900 + n * 100},"currency":"eur","balance_transaction":12345678901234567890,"billing_details":{"address":{"city":"Köln","country":"DE"},"email":"anna@example.com","name":"Anna Weber"},"captured":true,"metadata":{"order_id":"A-${1000 + n}","tags":["new","eu"]},"outcome":{"network_status":"approved_by_network","risk_level":"normal","risk_score":12.0},"refunded":false}},"livemode":true,"pending_webhooks":1,"request":{"id":"req_8sJ","idempotency_key":null},"type":"${type}"}`;
};

async function sendStripe(address: string, n: number, secret = stripeSecret): Promise<void> {
  const body = stripeEvent(n);
  const at = Math.floor(Date.now() / 1000);
  await deliver(address, body, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      'Stripe-Signature': `t=${at},v1=${hmac(secret, `${at}.${body}`)}`,
    },
  });
}

async function sendGithub(address: string): Promise<void> {
  const body =
    '{"ref":"refs/heads/main","before":"a10867b14bb761a232cd80139fbd4c0d33264240","after":"1b2f9a4c","repository":{"id":186853002,"full_name":"anna/tape","private":false},"pusher":{"name":"anna"},"commits":[{"id":"1b2f9a4c","message":"Keep the header order","added":[],"modified":["src/front.ts"]}]}';
  await deliver(address, body, {
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'GitHub-Hookshot/044aadd',
      'X-GitHub-Event': 'push',
      'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'X-Hub-Signature-256': `sha256=${hmac(githubSecret, body)}`,
    },
  });
}

export async function sendSamples(address: string): Promise<void> {
  for (let n = 0; n < 9; n++) await sendStripe(address, n);
  const form = new FormData();
  form.set('from', 'Jo <jo@example.com>');
  form.set('subject', 'Invoice');
  form.set('attachment', new File(['{"total":1}'], 'invoice.json', { type: 'application/json' }));
  await fetch(address, { method: 'POST', body: form });
  await deliver(`${address}/orders/7`, '<?xml version="1.0"?><order id="7"><line sku="X1">2</line></order>', {
    method: 'PUT',
    headers: { 'content-type': 'text/xml' },
  });
  await sendGithub(address);
  await deliver(
    address,
    new Uint8Array(4096).map((_, at) => (at * 7919) & 255),
    {
      headers: { 'content-type': 'application/octet-stream' },
    },
  );
  await sendStripe(address, 9, 'whsec_of_another_webhook');
  for (let n = 10; n < 14; n++) await sendStripe(address, n);
}
