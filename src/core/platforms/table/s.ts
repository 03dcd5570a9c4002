/* Platforms, S. The columns are explained in `../model.ts`, the sentences of the signature column in `../schemes.ts`. */
import { formJson, salesforceObject, shopifyEvent } from '../event-readers.ts';
import type { Platform } from '../model.ts';
import { hmac, publicKey, standardWebhooks, timedHmac } from '../schemes.ts';

export const platformsS: readonly Platform[] = [
  {
    name: 'salesforce',
    title: 'Salesforce outbound messages',
    docs: 'https://developer.salesforce.com/docs',
    detect: [{ text: /http:\/\/soap\.sforce\.com\/2005\/09\/outbound/, order: 45 }],
    eventType: [salesforceObject],
    signatures: [],
    secret: null,
    handshake: 'Every delivery: the SOAP acknowledgement.',
    notes: 'Authenticated by client certificate only.',
  },
  {
    name: 'sanity',
    title: 'Sanity',
    docs: 'https://www.sanity.io/docs',
    detect: [{ any: ['sanity-webhook-signature', 'sanity-operation', 'sanity-webhook-id'], order: 20 }],
    eventType: ['header:sanity-operation'],
    signatures: [
      timedHmac('sanity-webhook-signature', { encoding: 'base64url', time: { from: 'value:t', unit: 'ms' } }),
    ],
    secret: 'API > Webhooks > the webhook > Secret',
  },
  {
    name: 'segment',
    title: 'Twilio Segment',
    docs: 'https://segment.com/docs',
    detect: [
      {
        json: { messageId: true, type: ['track', 'identify', 'page', 'screen', 'group', 'alias'], anonymousId: true },
        order: 40,
      },
      {
        json: { messageId: true, type: ['track', 'identify', 'page', 'screen', 'group', 'alias'], userId: true },
        order: 40,
      },
    ],
    eventType: ['json:type', 'json:event'],
    signatures: [
      hmac('x-signature', {
        hash: 'sha1',
        note: 'in a batch only the first event is signed: such a delivery does not verify',
      }),
    ],
    secret: 'Destinations > the webhook > Settings > Shared secret',
  },
  {
    name: 'sendgrid',
    title: 'Twilio SendGrid',
    docs: 'https://www.twilio.com/docs/sendgrid',
    detect: [
      { any: ['x-twilio-email-event-webhook-signature', 'x-twilio-email-event-webhook-timestamp'], order: 20 },
      { json: { '0.sg_event_id': true }, order: 50 },
      { json: { '0.sg_message_id': true }, order: 50 },
    ],
    eventType: ['json:0.event'],
    signatures: [
      publicKey('x-twilio-email-event-webhook-signature', 'public-key', {
        message: '{x-twilio-email-event-webhook-timestamp}{body}',
        time: { from: 'header:x-twilio-email-event-webhook-timestamp', unit: 's' },
      }),
    ],
    secret: 'Settings > Mail Settings > Event Webhook > Signature verification > Verification key',
  },
  {
    name: 'sentry',
    title: 'Sentry',
    docs: 'https://docs.sentry.io',
    detect: [{ any: ['sentry-hook-resource', 'sentry-hook-signature'], order: 20 }],
    eventType: ['header:sentry-hook-resource', 'json:action'],
    signatures: [hmac('sentry-hook-signature')],
    secret: 'Settings > Developer Settings > the integration > Client secret',
  },
  {
    name: 'shippo',
    title: 'Shippo',
    docs: 'https://docs.goshippo.com',
    detect: [
      { any: ['shippo-auth-signature'], order: 20 },
      {
        json: { data: true, event: /^(track_updated|transaction_(created|updated)|batch_(created|purchased))$/ },
        order: 50,
      },
    ],
    eventType: ['json:event'],
    signatures: [timedHmac('shippo-auth-signature')],
    secret: 'The HMAC secret that Shippo enabled for the account',
  },
  {
    name: 'shopify',
    title: 'Shopify',
    docs: 'https://shopify.dev/docs',
    detect: [
      {
        any: [
          'x-shopify-topic',
          'x-shopify-hmac-sha256',
          'x-shopify-webhook-id',
          'shopify-topic',
          'shopify-hmac-sha256',
        ],
        order: 20,
      },
    ],
    eventType: ['header:x-shopify-topic', shopifyEvent],
    signatures: [hmac('x-shopify-hmac-sha256', { also: [{ header: 'shopify-hmac-sha256' }], encoding: 'base64' })],
    secret: "The app's client secret; for webhooks made in the admin, Settings > Notifications > Webhooks",
    notes: "Deliveries sent by hand from the admin use another key and do not verify with the app's secret.",
  },
  {
    name: 'slack',
    title: 'Slack',
    docs: 'https://docs.slack.dev',
    detect: [
      { any: ['x-slack-signature', 'x-slack-request-timestamp'], order: 20 },
      { method: ['POST'], json: { type: 'url_verification', challenge: true }, order: 50 },
    ],
    eventType: ['json:event.type', 'json:type', 'form:command', formJson('payload', 'type')],
    signatures: [
      hmac('x-slack-signature', {
        prefix: 'v0=',
        message: 'v0:{x-slack-request-timestamp}:{body}',
        time: { from: 'header:x-slack-request-timestamp', unit: 's', toleranceS: 300 },
      }),
    ],
    secret: 'The app > Basic Information > App Credentials > Signing Secret',
    handshake: '`url_verification`: the challenge is sent back.',
  },
  {
    name: 'smartsheet',
    title: 'Smartsheet',
    docs: 'https://developers.smartsheet.com',
    detect: [{ any: ['smartsheet-hmac-sha256', 'smartsheet-hook-challenge'], order: 26 }],
    eventType: ['json:events.0.eventType'],
    signatures: [hmac('smartsheet-hmac-sha256')],
    secret: 'sharedSecret in the answer of the call that created the webhook',
    handshake: '`Smartsheet-Hook-Challenge`: the value is sent back.',
  },
  {
    name: 'square',
    title: 'Square',
    docs: 'https://developer.squareup.com/docs',
    detect: [{ any: ['x-square-hmacsha256-signature', 'x-square-signature', 'square-environment'], order: 20 }],
    eventType: ['json:type'],
    signatures: [
      hmac('x-square-hmacsha256-signature', { encoding: 'base64', message: '{url}{body}' }),
      hmac('x-square-signature', { hash: 'sha1', encoding: 'base64', message: '{url}{body}' }),
    ],
    secret: 'Developer Console > the application > Webhooks > the subscription > Signature key',
  },
  {
    name: 'squarespace',
    title: 'Squarespace',
    docs: 'https://developers.squarespace.com',
    detect: [
      { any: ['squarespace-signature'], order: 20 },
      { json: { websiteId: true, subscriptionId: true, topic: true }, order: 50 },
    ],
    eventType: ['json:topic'],
    signatures: [hmac('squarespace-signature', { key: 'hex' })],
    secret: 'secret in the answer of the call that created the subscription',
  },
  {
    name: 'standard-webhooks',
    title: 'Standard Webhooks (any sender)',
    docs: 'https://www.standardwebhooks.com',
    detect: [{ all: ['webhook-id', 'webhook-timestamp', 'webhook-signature'], order: 86 }],
    eventType: ['json:type'],
    signatures: [
      standardWebhooks('webhook', { key: 'whsec-or-text' }),
      standardWebhooks('webhook', { label: 'standard-webhooks-ed25519', version: 'v1a', key: 'ed25519' }),
    ],
    secret: 'The signing secret (whsec_…) or public key (whpk_…) that the sender shows',
  },
  {
    name: 'strapi',
    title: 'Strapi',
    docs: 'https://docs.strapi.io',
    detect: [{ any: ['x-strapi-event'], order: 20 }],
    eventType: ['header:x-strapi-event', 'json:event'],
    signatures: [],
    secret: null,
  },
  {
    name: 'strava',
    title: 'Strava',
    docs: 'https://developers.strava.com',
    detect: [{ json: { aspect_type: true, object_type: true, subscription_id: true }, order: 71 }],
    eventType: ['json:object_type', 'json:aspect_type'],
    signatures: [],
    secret: 'The verify_token you gave when you created the subscription: for the handshake only',
    verifyToken: true,
    handshake:
      '`GET ?hub.verify_token=`: the challenge is sent back as JSON when the token is registered as a Strava secret, 403 when it is another.',
    notes: 'Sends the same registration request as Meta: register the verify token to tell them apart.',
  },
  {
    name: 'stripe',
    title: 'Stripe',
    docs: 'https://docs.stripe.com/webhooks',
    detect: [{ any: ['stripe-signature'], order: 20 }],
    eventType: ['json:type'],
    signatures: [timedHmac('stripe-signature')],
    secret: 'Developers > Webhooks > the endpoint > Signing secret (whsec_…)',
  },
  {
    name: 'svix',
    title: 'Svix (any sender)',
    docs: 'https://docs.svix.com',
    detect: [{ all: ['svix-id', 'svix-timestamp', 'svix-signature'], order: 85 }],
    eventType: ['json:type', 'json:event_type', 'json:eventType'],
    signatures: [standardWebhooks('svix'), standardWebhooks('webhook')],
    secret: "The endpoint's Signing Secret in the sender's webhook portal",
  },
];
