/* Platforms, H to L. The columns are explained in `../model.ts`, the sentences of the signature column in `../schemes.ts`. */
import type { Platform } from '../engine/model.ts';
import { customScheme, hmac } from '../engine/schemes.ts';

export const platformsHL: readonly Platform[] = [
  {
    name: 'heroku',
    title: 'Heroku',
    docsUrl: 'https://devcenter.heroku.com',
    detect: [
      { anyHeader: ['heroku-webhook-hmac-sha256'], order: 20 },
      { json: { webhook_metadata: true }, order: 50 },
    ],
    eventType: ['json:webhook_metadata.event.include', 'json:resource', 'json:action'],
    signatures: [hmac('heroku-webhook-hmac-sha256', { encoding: 'base64' })],
    secretHint: 'The Heroku-Webhook-Secret given when the webhook was created',
  },
  {
    name: 'hubspot',
    title: 'HubSpot',
    docsUrl: 'https://developers.hubspot.com/docs',
    detect: [
      { anyHeader: ['x-hubspot-signature-v3', 'x-hubspot-signature', 'x-hubspot-signature-version'], order: 20 },
    ],
    eventType: ['json:0.subscriptionType', 'json:eventType'],
    signatures: [
      customScheme('hubspot-v3', 'x-hubspot-signature-v3', {
        time: { from: 'header:x-hubspot-request-timestamp', unit: 'ms', toleranceSeconds: 300 },
      }),
      customScheme('hubspot-hash', 'x-hubspot-signature', { label: 'sha256-concat' }),
    ],
    secretHint: 'The app > Auth > Client secret',
  },
  {
    name: 'intercom',
    title: 'Intercom',
    docsUrl: 'https://developers.intercom.com',
    detect: [{ json: { type: 'notification_event', topic: true, app_id: true }, order: 35 }],
    eventType: ['json:topic'],
    signatures: [hmac('x-hub-signature', { prefix: 'sha1=', hash: 'sha1' })],
    secretHint: 'Developer Hub > the app > Basic information > Client secret',
  },
  {
    name: 'jira',
    title: 'Jira',
    docsUrl: 'https://developer.atlassian.com',
    detect: [
      { anyHeader: ['x-atlassian-webhook-identifier'], order: 25 },
      { json: { webhookEvent: true }, order: 50 },
    ],
    eventType: ['json:webhookEvent', 'json:issue_event_type_name'],
    signatures: [
      hmac('x-hub-signature', { prefix: 'sha256=' }),
      customScheme('jwt', 'authorization', {
        label: 'jwt-hs256',
        prefix: 'JWT ',
        proves: 'origin',
        note: 'Connect apps; the body is not covered',
      }),
    ],
    secretHint: 'Settings > System > WebHooks > the webhook > Secret; for a Connect app its shared secret',
    notes: 'The `qsh` claim of Connect tokens is not compared.',
  },
  {
    name: 'keap',
    title: 'Keap',
    docsUrl: 'https://developer.keap.com',
    detect: [{ json: { event_key: true, object_keys: true }, order: 72 }],
    eventType: ['json:event_key'],
    signatures: [],
    secretHint: null,
    handshake: 'The echo of `X-Hook-Secret`.',
  },
  {
    name: 'klarna',
    title: 'Klarna',
    docsUrl: 'https://docs.klarna.com',
    detect: [{ anyHeader: ['klarna-signature', 'klarna-signing-key-id'], order: 25 }],
    eventType: ['json:metadata.event_type'],
    signatures: [hmac('klarna-signature', { encoding: 'hex-or-base64' })],
    secretHint: 'signing_key given when the key was created; Klarna-Signing-Key-Id says which',
  },
  {
    name: 'klaviyo',
    title: 'Klaviyo',
    docsUrl: 'https://developers.klaviyo.com',
    detect: [{ anyHeader: ['klaviyo-signature'], order: 26 }],
    eventType: ['json:data.0.type'],
    signatures: [
      hmac('klaviyo-signature', {
        message: '{body}{klaviyo-timestamp}',
        time: { from: 'header:klaviyo-timestamp', unit: 'http-date' },
      }),
    ],
    secretHint: 'The secret you chose when you created the webhook',
  },
  {
    name: 'launchdarkly',
    title: 'LaunchDarkly',
    docsUrl: 'https://launchdarkly.com/docs',
    detect: [{ anyHeader: ['x-ld-signature'], order: 26 }],
    eventType: ['json:kind'],
    signatures: [hmac('x-ld-signature')],
    secretHint: 'Integrations > Webhooks > the webhook > Secret',
  },
  {
    name: 'lemonsqueezy',
    title: 'Lemon Squeezy',
    docsUrl: 'https://docs.lemonsqueezy.com',
    detect: [{ allHeaders: ['x-event-name', 'x-signature'], order: 30 }],
    eventType: ['header:x-event-name', 'json:meta.event_name'],
    signatures: [hmac('x-signature')],
    secretHint: 'Settings > Webhooks > the webhook > Signing secret',
  },
  {
    name: 'line',
    title: 'LINE',
    docsUrl: 'https://developers.line.biz',
    detect: [{ anyHeader: ['x-line-signature'], order: 20 }],
    eventType: ['json:events.0.type'],
    signatures: [hmac('x-line-signature', { encoding: 'base64' })],
    secretHint: 'LINE Developers Console > the channel > Basic settings > Channel secret',
  },
  {
    name: 'linear',
    title: 'Linear',
    docsUrl: 'https://linear.app/developers',
    detect: [{ anyHeader: ['linear-signature', 'linear-event', 'linear-delivery'], order: 20 }],
    eventType: ['header:linear-event', 'json:type', 'json:action'],
    signatures: [
      hmac('linear-signature', { time: { from: 'json:webhookTimestamp', unit: 'ms', toleranceSeconds: 60 } }),
    ],
    secretHint: 'Settings > API > Webhooks > the webhook > Signing secret',
  },
  {
    name: 'linkedin',
    title: 'LinkedIn',
    docsUrl: 'https://learn.microsoft.com/linkedin/',
    detect: [
      { anyHeader: ['x-li-signature'], order: 26 },
      { methods: ['GET'], query: { challengecode: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i }, order: 45 },
    ],
    eventType: ['json:type'],
    signatures: [hmac('x-li-signature', { message: 'hmacsha256={body}' })],
    secretHint: 'Developer portal > the app > Auth > Client secret',
    handshake: '`GET ?challengeCode=` (a UUID): answered with the registered client secret.',
  },
];
