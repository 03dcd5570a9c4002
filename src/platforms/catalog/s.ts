/* Platforms, S. The columns are explained in `../model.ts`, the sentences of the signature column in `../schemes.ts`. */
import { formJson, salesforceObject, shopifyEvent } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { hmac, publicKey, standardWebhooks, timedHmac } from '../engine/schemes.ts';

export const platformsS: readonly Platform[] = [
  {
    name: 'salesforce',
    title: 'Salesforce outbound messages',
    docsUrl: 'https://developer.salesforce.com/docs',
    detect: [{ bodyText: /http:\/\/soap\.sforce\.com\/2005\/09\/outbound/, order: 45 }],
    eventType: [salesforceObject],
    signatures: [],
    secretHint: null,
    handshake: 'Every delivery: the SOAP acknowledgement.',
    notes: 'Authenticated by client certificate only.',
  },
  {
    name: 'sanity',
    title: 'Sanity',
    docsUrl: 'https://www.sanity.io/docs',
    detect: [{ anyHeader: ['sanity-webhook-signature', 'sanity-operation', 'sanity-webhook-id'], order: 20 }],
    eventType: ['header:sanity-operation'],
    signatures: [
      timedHmac('sanity-webhook-signature', { encoding: 'base64url', time: { from: 'value:t', unit: 'ms' } }),
    ],
    secretHint: 'API > Webhooks > the webhook > Secret',
  },
  {
    name: 'segment',
    title: 'Twilio Segment',
    docsUrl: 'https://segment.com/docs',
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
    secretHint: 'Destinations > the webhook > Settings > Shared secret',
  },
  {
    name: 'sendgrid',
    title: 'Twilio SendGrid',
    docsUrl: 'https://www.twilio.com/docs/sendgrid',
    detect: [
      { anyHeader: ['x-twilio-email-event-webhook-signature', 'x-twilio-email-event-webhook-timestamp'], order: 20 },
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
    secretHint: 'Settings > Mail Settings > Event Webhook > Signature verification > Verification key',
  },
  {
    name: 'sentry',
    title: 'Sentry',
    docsUrl: 'https://docs.sentry.io',
    detect: [{ anyHeader: ['sentry-hook-resource', 'sentry-hook-signature'], order: 20 }],
    eventType: ['header:sentry-hook-resource', 'json:action'],
    signatures: [hmac('sentry-hook-signature')],
    secretHint: 'Settings > Developer Settings > the integration > Client secret',
  },
  {
    name: 'shippo',
    title: 'Shippo',
    docsUrl: 'https://docs.goshippo.com',
    detect: [
      { anyHeader: ['shippo-auth-signature'], order: 20 },
      {
        json: { data: true, event: /^(track_updated|transaction_(created|updated)|batch_(created|purchased))$/ },
        order: 50,
      },
    ],
    eventType: ['json:event'],
    signatures: [timedHmac('shippo-auth-signature')],
    secretHint: 'The HMAC secret that Shippo enabled for the account',
  },
  {
    name: 'shopify',
    title: 'Shopify',
    docsUrl: 'https://shopify.dev/docs',
    detect: [
      {
        anyHeader: [
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
    signatures: [
      hmac('x-shopify-hmac-sha256', { alternativeHeaders: [{ header: 'shopify-hmac-sha256' }], encoding: 'base64' }),
    ],
    secretHint: "The app's client secret; for webhooks made in the admin, Settings > Notifications > Webhooks",
    notes: "Deliveries sent by hand from the admin use another key and do not verify with the app's secret.",
  },
  {
    name: 'slack',
    title: 'Slack',
    docsUrl: 'https://docs.slack.dev',
    detect: [
      { anyHeader: ['x-slack-signature', 'x-slack-request-timestamp'], order: 20 },
      { methods: ['POST'], json: { type: 'url_verification', challenge: true }, order: 50 },
    ],
    eventType: ['json:event.type', 'json:type', 'form:command', formJson('payload', 'type')],
    signatures: [
      hmac('x-slack-signature', {
        prefix: 'v0=',
        message: 'v0:{x-slack-request-timestamp}:{body}',
        time: { from: 'header:x-slack-request-timestamp', unit: 's', toleranceSeconds: 300 },
      }),
    ],
    secretHint: 'The app > Basic Information > App Credentials > Signing Secret',
    handshake: '`url_verification`: the challenge is sent back.',
  },
  {
    name: 'smartsheet',
    title: 'Smartsheet',
    docsUrl: 'https://developers.smartsheet.com',
    detect: [{ anyHeader: ['smartsheet-hmac-sha256', 'smartsheet-hook-challenge'], order: 26 }],
    eventType: ['json:events.0.eventType'],
    signatures: [hmac('smartsheet-hmac-sha256')],
    secretHint: 'sharedSecret in the answer of the call that created the webhook',
    handshake: '`Smartsheet-Hook-Challenge`: the value is sent back.',
  },
  {
    name: 'square',
    title: 'Square',
    docsUrl: 'https://developer.squareup.com/docs',
    detect: [{ anyHeader: ['x-square-hmacsha256-signature', 'x-square-signature', 'square-environment'], order: 20 }],
    eventType: ['json:type'],
    signatures: [
      hmac('x-square-hmacsha256-signature', { encoding: 'base64', message: '{url}{body}' }),
      hmac('x-square-signature', { hash: 'sha1', encoding: 'base64', message: '{url}{body}' }),
    ],
    secretHint: 'Developer Console > the application > Webhooks > the subscription > Signature key',
  },
  {
    name: 'squarespace',
    title: 'Squarespace',
    docsUrl: 'https://developers.squarespace.com',
    detect: [
      { anyHeader: ['squarespace-signature'], order: 20 },
      { json: { websiteId: true, subscriptionId: true, topic: true }, order: 50 },
    ],
    eventType: ['json:topic'],
    signatures: [hmac('squarespace-signature', { keyFormat: 'hex' })],
    secretHint: 'secret in the answer of the call that created the subscription',
  },
  {
    name: 'standard-webhooks',
    title: 'Standard Webhooks (any sender)',
    docsUrl: 'https://www.standardwebhooks.com',
    detect: [{ allHeaders: ['webhook-id', 'webhook-timestamp', 'webhook-signature'], order: 86 }],
    eventType: ['json:type'],
    signatures: [
      standardWebhooks('webhook', { keyFormat: 'whsec-or-text' }),
      standardWebhooks('webhook', { label: 'standard-webhooks-ed25519', version: 'v1a', keyFormat: 'ed25519' }),
    ],
    secretHint: 'The signing secret (whsec_…) or public key (whpk_…) that the sender shows',
  },
  {
    name: 'strapi',
    title: 'Strapi',
    docsUrl: 'https://docs.strapi.io',
    detect: [{ anyHeader: ['x-strapi-event'], order: 20 }],
    eventType: ['header:x-strapi-event', 'json:event'],
    signatures: [],
    secretHint: null,
  },
  {
    name: 'strava',
    title: 'Strava',
    docsUrl: 'https://developers.strava.com',
    detect: [{ json: { aspect_type: true, object_type: true, subscription_id: true }, order: 71 }],
    eventType: ['json:object_type', 'json:aspect_type'],
    signatures: [],
    secretHint: 'The verify_token you gave when you created the subscription: for the handshake only',
    takesVerifyToken: true,
    handshake:
      '`GET ?hub.verify_token=`: the challenge is sent back as JSON when the token is registered as a Strava secret, 403 when it is another.',
    notes: 'Sends the same registration request as Meta: register the verify token to tell them apart.',
  },
  {
    name: 'stripe',
    title: 'Stripe',
    docsUrl: 'https://docs.stripe.com/webhooks',
    detect: [{ anyHeader: ['stripe-signature'], order: 20 }],
    eventType: ['json:type'],
    signatures: [timedHmac('stripe-signature')],
    secretHint: 'Developers > Webhooks > the endpoint > Signing secret (whsec_…)',
  },
  {
    name: 'svix',
    title: 'Svix (any sender)',
    docsUrl: 'https://docs.svix.com',
    detect: [{ allHeaders: ['svix-id', 'svix-timestamp', 'svix-signature'], order: 85 }],
    eventType: ['json:type', 'json:event_type', 'json:eventType'],
    signatures: [standardWebhooks('svix'), standardWebhooks('webhook')],
    secretHint: "The endpoint's Signing Secret in the sender's webhook portal",
  },
];
