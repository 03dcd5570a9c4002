/* Delivery ids: a delivery as each platform sends it, and what holds for every rule. */
import { describe, expect, test } from 'bun:test';
import { isCredentialHeader, isTransitHeader } from '../core/headers.ts';
import { delivery, formDelivery, jsonDelivery } from '../testing/deliveries.ts';
import type { RawDelivery } from './engine/model.ts';
import type { DeliveryIdRule } from './engine/platform.ts';
import { deliveryIdOf, detect, findPlatform, platforms } from './platforms.ts';

type Fixture = [platform: string, delivery: RawDelivery, id: string];

const token = (data: unknown): string =>
  `eyJhbGciOiJSUzI1NiJ9.${Buffer.from(JSON.stringify({ data })).toString('base64url')}.c2ln`;
const outboundMessage = (notifications: string): RawDelivery =>
  delivery({
    headers: { 'content-type': 'text/xml' },
    body: `<x xmlns="http://soap.sforce.com/2005/09/outbound"><Id>org</Id>${notifications}</x>`,
  });
const cloudEvent = { specversion: '1.0', source: '/shop', type: 'order.paid' };

const inHeader: Fixture[] = [
  ['aws-sns', jsonDelivery({}, { 'X-Amz-Sns-Message-Type': 'Notification', 'x-amz-sns-message-id': 'm-1' }), 'm-1'],
  ['clerk', jsonDelivery({ object: 'event', type: 'user.created' }, { 'svix-id': 'msg_1' }), 'msg_1'],
  ['cloudevents', delivery({ headers: { 'ce-specversion': '1.0', 'CE-Source': '/a', 'ce-id': '7' } }), '/a 7'],
  ['contentful', jsonDelivery({}, { 'X-Contentful-Topic': 't', 'X-Contentful-Idempotency-Key': 'k-1' }), 'k-1'],
  [
    'forgejo',
    jsonDelivery({}, { 'X-Forgejo-Event': 'push', 'X-Forgejo-Delivery': 'd-1', 'X-Gitea-Delivery': 'd' }),
    'd-1',
  ],
  ['gitea', jsonDelivery({}, { 'X-Gitea-Event': 'push', 'X-Gitea-Delivery': 'd-2' }), 'd-2'],
  ['github', jsonDelivery({}, { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': 'd-3' }), 'd-3'],
  ['gitlab', jsonDelivery({}, { 'X-Gitlab-Event-UUID': 'u', 'Idempotency-Key': 'k-2', 'webhook-id': 'w' }), 'k-2'],
  ['gogs', jsonDelivery({}, { 'X-Gogs-Event': 'push', 'X-Gogs-Delivery': 'd-4' }), 'd-4'],
  ['jira', jsonDelivery({}, { 'X-Atlassian-Webhook-Identifier': 'j-1', 'X-Atlassian-Webhook-Retry': '2' }), 'j-1'],
  ['linear', jsonDelivery({ type: 'Issue' }, { 'Linear-Delivery': 'l-1' }), 'l-1'],
  ['openai', jsonDelivery({ object: 'event', type: 'response.completed' }, { 'webhook-id': 'wh_1' }), 'wh_1'],
  ['razorpay', jsonDelivery({}, { 'X-Razorpay-Signature': 's', 'x-razorpay-event-id': 'r-1' }), 'r-1'],
  ['resend', jsonDelivery({ type: 'email.sent', created_at: 'x', data: {} }, { 'svix-id': 'msg_2' }), 'msg_2'],
  ['sanity', jsonDelivery({}, { 'Sanity-Operation': 'update', 'idempotency-key': 's-1' }), 's-1'],
  ['shopify', jsonDelivery({}, { 'X-Shopify-Webhook-Id': 's-2', 'X-Shopify-Event-Id': 'e' }), 's-2'],
  ['shopify', jsonDelivery({}, { 'Shopify-Topic': 't', 'Shopify-Webhook-Id': 's-3' }), 's-3'],
  ['shopify', jsonDelivery({}, { 'X-Shopify-Topic': 't', 'X-Shopify-Event-Id': 'e-1' }), 'e-1'],
  [
    'standard-webhooks',
    jsonDelivery({}, { 'Webhook-Id': 'msg_3', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' }),
    'msg_3',
  ],
  ['svix', jsonDelivery({}, { 'svix-id': 'msg_4', 'svix-timestamp': '1', 'svix-signature': 'v1,x' }), 'msg_4'],
  ['twilio', formDelivery({ Body: 'hi' }, { 'X-Twilio-Signature': 's', 'I-Twilio-Idempotency-Token': 't-1' }), 't-1'],
  ['twitch', jsonDelivery({}, { 'Twitch-Eventsub-Message-Id': 't-2' }), 't-2'],
  ['woocommerce', jsonDelivery({}, { 'X-WC-Webhook-Topic': 't', 'X-WC-Webhook-Delivery-ID': 'w-1' }), 'w-1'],
  ['zendesk', jsonDelivery({}, { 'X-Zendesk-Webhook-Id': 'w', 'X-Zendesk-Webhook-Invocation-Id': 'z-1' }), 'z-1'],
];

const inBody: Fixture[] = [
  ['authorize-net', jsonDelivery({ notificationId: 'n-1' }, { 'X-ANET-Signature': 's' }), 'n-1'],
  ['aws-eventbridge', jsonDelivery({ id: 'e-1', 'detail-type': 't', source: 's', detail: { id: 'x' } }), 'e-1'],
  ['aws-sns', jsonDelivery({ MessageId: 'm-2' }, { 'x-amz-sns-topic-arn': 't' }), 'm-2'],
  ['azure-event-grid', jsonDelivery([{ id: 'a-1' }], { 'aeg-event-type': 'Notification' }), 'a-1'],
  ['azure-event-grid', jsonDelivery({ ...cloudEvent, id: 'a-2' }, { 'aeg-event-type': 'Notification' }), '/shop a-2'],
  ['bigcommerce', jsonDelivery({ scope: 'store/order/created', producer: 'stores/abc', hash: 'h-1' }), 'h-1'],
  ['box', jsonDelivery({ id: 'b-1' }, { 'BOX-DELIVERY-ID': 'another for each attempt' }), 'b-1'],
  [
    'chargebee',
    jsonDelivery({ id: 'ev_1', event_type: 'x', webhook_status: 'scheduled', content: {}, occurred_at: 1 }),
    'ev_1',
  ],
  ['checkout', jsonDelivery({ id: 'evt_1' }, { 'Cko-Signature': 's' }), 'evt_1'],
  ['circle', jsonDelivery({ notificationId: 'n-2' }, { 'X-Circle-Key-Id': 'k' }), 'n-2'],
  ['circleci', jsonDelivery({ id: 'c-1' }, { 'circleci-event-type': 'ping' }), 'c-1'],
  [
    'clickup',
    jsonDelivery({ webhook_id: 'w', event: 'e', history_items: [{ id: 'h' }] }, { 'X-Signature': 's' }),
    'w h',
  ],
  [
    'cloudevents',
    jsonDelivery({ ...cloudEvent, id: 'x' }, { 'content-type': 'application/cloudevents+json' }),
    '/shop x',
  ],
  [
    'coinbase-commerce',
    jsonDelivery({ id: 1, attempt_number: 2, event: { id: 'c-2' } }, { 'X-CC-Webhook-Signature': 's' }),
    'c-2',
  ],
  ['customerio', jsonDelivery({ event_id: '01E' }, { 'X-CIO-Signature': 's' }), '01E'],
  ['dwolla', jsonDelivery({ id: 'd-5' }, { 'X-Request-Signature-SHA-256': 's' }), 'd-5'],
  ['easypost', jsonDelivery({ id: 'evt_2', object: 'Event', description: 'd', result: {} }), 'evt_2'],
  ['ebay', jsonDelivery({ notification: { notificationId: 'n-3' } }, { 'X-EBAY-Signature': 's' }), 'n-3'],
  [
    'gocardless',
    jsonDelivery(
      { events: [{ resource_type: 'payments' }], meta: { webhook_id: 'WB1' } },
      { 'Webhook-Signature': 's' },
    ),
    'WB1',
  ],
  ['google-pubsub', jsonDelivery({ message: { messageId: '136' }, subscription: 'projects/p/subscriptions/s' }), '136'],
  ['heroku', jsonDelivery({ webhook_metadata: { attempt: { id: 'a' }, delivery: { id: 'h-2' } } }), 'h-2'],
  [
    'intercom',
    jsonDelivery({ type: 'notification_event', topic: 't', app_id: 'a', id: 'notif_1', delivery_attempts: 2 }),
    'notif_1',
  ],
  ['line', jsonDelivery({ events: [{ webhookEventId: '01F' }] }, { 'x-line-signature': 's' }), '01F'],
  [
    'mailgun',
    jsonDelivery({ signature: { token: 't', timestamp: '1', signature: 's' }, 'event-data': { id: 'm-3' } }),
    'm-3',
  ],
  ['mercadopago', jsonDelivery({ id: 12345, data: { id: '9' } }, { 'x-signature': 'ts=1,v1=ab' }), '12345'],
  ['mollie', jsonDelivery({ id: 'event_1' }, { 'X-Mollie-Signature': 's' }), 'event_1'],
  ['mux', jsonDelivery({ id: 'm-4', attempts: [{}] }, { 'Mux-Signature': 's' }), 'm-4'],
  ['notion', jsonDelivery({ id: 'n-4', attempt_number: 3 }, { 'X-Notion-Signature': 's' }), 'n-4'],
  ['nylas', jsonDelivery({ id: 'n-5' }, { 'X-Nylas-Signature': 's' }), 'n-5'],
  ['okta', jsonDelivery({ eventType: 'com.okta.event_hook', eventId: 'o-1', data: { events: [{}] } }), 'o-1'],
  ['paddle', jsonDelivery({ event_id: 'evt_3', notification_id: 'ntf_1' }, { 'Paddle-Signature': 's' }), 'evt_3'],
  ['pagerduty', jsonDelivery({ event: { id: 'p-1' } }, { 'X-PagerDuty-Signature': 's' }), 'p-1'],
  ['paypal', jsonDelivery({ id: 'WH-1' }, { 'PAYPAL-TRANSMISSION-ID': 'another for each attempt' }), 'WH-1'],
  ['persona', jsonDelivery({ data: { id: 'evt_4' } }, { 'Persona-Signature': 's' }), 'evt_4'],
  ['revenuecat', jsonDelivery({ api_version: '1', event: { id: 'r-2', type: 'T', app_user_id: 'u' } }), 'r-2'],
  ['salesforce', outboundMessage('<Notification><Id>04l1</Id></Notification>'), '04l1'],
  ['segment', jsonDelivery({ messageId: 's-4', type: 'track', userId: 'u' }), 's-4'],
  ['slack', jsonDelivery({ event_id: 'Ev1' }, { 'X-Slack-Signature': 's', 'X-Slack-Retry-Num': '1' }), 'Ev1'],
  ['square', jsonDelivery({ event_id: 's-5' }, { 'x-square-hmacsha256-signature': 's' }), 's-5'],
  ['squarespace', jsonDelivery({ id: 's-6', websiteId: 'w', subscriptionId: 's', topic: 't' }), 's-6'],
  ['stripe', jsonDelivery({ id: 'evt_5', data: { object: { id: 'ch_1' } } }, { 'Stripe-Signature': 's' }), 'evt_5'],
  ['telegram', jsonDelivery({ update_id: 10000, message: {} }), '10000'],
  ['typeform', jsonDelivery({ event_id: 't-3', event_type: 'form_response', form_response: {} }), 't-3'],
  ['vercel', jsonDelivery({ id: 'v-1' }, { 'x-vercel-signature': 's' }), 'v-1'],
  ['wix', delivery({ body: token(JSON.stringify({ data: '{"id":"w-2"}', eventType: 'x' })) }), 'w-2'],
  ['workos', jsonDelivery({ id: 'event_2', event: 'user.created' }, { 'WorkOS-Signature': 's' }), 'event_2'],
];

/** A body with the name of each path as its value. */
function nested(paths: readonly string[]): object {
  const body = {};
  for (const path of paths) {
    const steps = path.split('.');
    let here: Record<string, unknown> = body;
    steps.forEach((step, n) => {
      const next = steps[n + 1];
      here[step] ??= next === undefined ? path : /^\d+$/.test(next) ? [] : {};
      if (next !== undefined) here = here[step] as Record<string, unknown>;
    });
  }
  return body;
}

const rulesOf = (name: string): readonly DeliveryIdRule[] => findPlatform(name)?.deliveryId ?? [];

describe.each([
  ['header' as const, inHeader],
  ['body' as const, inBody],
])('the delivery id in a %s', (basis, fixtures) => {
  test.each(fixtures)('of %s', (platform, given, id) => {
    expect(detect(given, [])).toMatchObject({ platform, deliveryId: { id, basis } });
    expect(deliveryIdOf(given, platform)).toEqual({ id, basis });
  });

  test.each(fixtures)('of %s is found whatever the case of header names', (platform, given, id) => {
    for (const change of [String.prototype.toUpperCase, String.prototype.toLowerCase]) {
      const rawHeaders = given.rawHeaders.map(([name, value]) => [change.call(name), value] as const);
      expect(deliveryIdOf({ ...given, rawHeaders }, platform)?.id).toBe(id);
    }
  });
});

describe('a rule', () => {
  /** Standards, and vendors that document on a domain of their code host or of a product that they bought. */
  const otherDomains = new Set(['github.com', 'github.io', 'svix.com']);
  const domainOf = (link: string): string => new URL(link).hostname.split('.').slice(-2).join('.');
  const all = platforms.flatMap(row => rulesOf(row.name).map((rule): [string, DeliveryIdRule] => [row.name, rule]));

  test.each(all)('of %s has a link to its documentation', (name, { source }) => {
    expect(source).toMatch(/^https:\/\/[a-z0-9.-]+\/[\w./#-]*$/);
    const domain = domainOf(source);
    expect([
      domainOf(findPlatform(name)?.docsUrl ?? ''),
      ...otherDomains,
      'amazon.com',
      'okta.com',
      'mux.com',
    ]).toContain(domain);
  });

  test.each(all)('of %s finds the id, and needs every part of it', (name, rule) => {
    const given = 'header' in rule ? rule.header : rule.body;
    if (typeof given === 'object' && 'read' in given) return;
    const parts = [given].flat();
    const idWith = (some: readonly string[]) =>
      deliveryIdOf(
        'header' in rule
          ? jsonDelivery({}, Object.fromEntries(some.map(part => [part, part])))
          : jsonDelivery(nested(some)),
        name,
      );
    expect(idWith(parts)).toEqual({ id: parts.join(' '), basis: 'header' in rule ? 'header' : 'body' });
    if (parts.length > 1) expect(idWith(parts.slice(1))).toBeUndefined();
  });

  test.each(all)('of %s reads no header that is stored otherwise than it was sent', (_name, rule) => {
    const names = 'header' in rule ? [rule.header].flat().map(name => name.toLowerCase()) : [];
    expect(names.filter(name => isCredentialHeader(name) || isTransitHeader(name))).toEqual([]);
  });
});

describe('no delivery id', () => {
  test.each(['hubspot', 'sendgrid', 'meta', 'xero', 'bitbucket', 'adyen', 'zoom', 'dropbox-sign'])('for %s', name => {
    expect(rulesOf(name)).toEqual([]);
  });

  test('for lists of several items, whose retry may contain others', () => {
    const events = [
      { id: 'a', webhookEventId: 'a' },
      { id: 'b', webhookEventId: 'b' },
    ];
    expect(deliveryIdOf(jsonDelivery(events), 'azure-event-grid')).toBeUndefined();
    expect(deliveryIdOf(jsonDelivery({ events }), 'line')).toBeUndefined();
    const two = '<Notification><Id>1</Id></Notification><Notification><Id>2</Id></Notification>';
    expect(deliveryIdOf(outboundMessage(two), 'salesforce')).toBeUndefined();
  });

  test('for the form with which Mollie names a payment: it comes again for each change', () => {
    expect(detect(formDelivery({ id: 'tr_1' }), [])).toMatchObject({ platform: 'mollie', deliveryId: undefined });
  });

  test('for unknown senders and unknown platforms', () => {
    const given = jsonDelivery({ id: 'a' }, { 'X-GitHub-Delivery-': 'b' });
    expect(detect(given, [])).toMatchObject({ platform: null, deliveryId: undefined });
    for (const platform of [null, 'nobody', '__proto__']) expect(deliveryIdOf(given, platform)).toBeUndefined();
  });
});
