/* Platforms, A to B. The columns are explained in `../model.ts`, the sentences of the signature column in `../schemes.ts`. */
import { braintreeKind } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { customScheme, hmac, standardWebhooks, token } from '../engine/schemes.ts';

export const platformsAB: readonly Platform[] = [
  {
    name: 'ably',
    title: 'Ably',
    docsUrl: 'https://ably.com/docs',
    detect: [{ anyHeader: ['x-ably-signature', 'x-ably-key', 'x-ably-version'], order: 20 }],
    eventType: ['json:items.0.name', 'json:items.0.source', 'json:source'],
    signatures: [hmac('x-ably-signature', { encoding: 'base64', keyFormat: 'after-colon' })],
    secretHint: 'Ably dashboard > the app > API Keys: the whole key named by the X-Ably-Key header',
  },
  {
    name: 'adyen',
    title: 'Adyen',
    docsUrl: 'https://docs.adyen.com',
    detect: [
      { anyHeader: ['hmacsignature'], order: 35 },
      { json: { 'notificationItems.0.NotificationRequestItem': true }, order: 45 },
    ],
    eventType: ['json:notificationItems.0.NotificationRequestItem.eventCode', 'json:type'],
    signatures: [
      customScheme('adyen-items', null, {
        keyFormat: 'hex',
        proves: 'origin',
        note: 'eight fields of each item are signed; all items must pass',
      }),
      hmac('hmacsignature', { encoding: 'base64', keyFormat: 'hex' }),
    ],
    secretHint: 'Customer Area > Developers > Webhooks > the webhook > HMAC key',
    notes:
      'Any 2xx answer is taken by current Adyen webhooks; old integrations that insist on `[accepted]` are not served.',
  },
  {
    name: 'airtable',
    title: 'Airtable',
    docsUrl: 'https://airtable.com/developers/web/api',
    detect: [{ anyHeader: ['x-airtable-content-mac'], order: 20 }],
    eventType: ['text:notification'],
    signatures: [hmac('x-airtable-content-mac', { prefix: 'hmac-sha256=', keyFormat: 'base64' })],
    secretHint: 'macSecretBase64 in the answer of the call that created the webhook',
  },
  {
    name: 'alertmanager',
    title: 'Prometheus Alertmanager',
    docsUrl: 'https://prometheus.io/docs/alerting/latest/alertmanager/',
    detect: [
      { json: { version: '4', groupKey: true, receiver: true, alerts: true }, order: 46 },
      { userAgent: 'Alertmanager/', order: 46 },
    ],
    eventType: ['json:status'],
    signatures: [],
    secretHint: null,
  },
  {
    name: 'asana',
    title: 'Asana',
    docsUrl: 'https://developers.asana.com/docs',
    detect: [{ anyHeader: ['x-hook-signature'], order: 25 }],
    eventType: ['json:events.0.resource.resource_type', 'json:events.0.action'],
    signatures: [hmac('x-hook-signature')],
    secretHint: 'Learned from the handshake; it is the X-Hook-Secret header of the first delivery',
    handshake:
      "The echo of `X-Hook-Secret`; the value becomes the endpoint's Asana secret, which a person has to confirm.",
    notes: 'Each webhook on the same endpoint has a secret of its own: confirm each of them.',
  },
  {
    name: 'auth0',
    title: 'Auth0 log streams',
    docsUrl: 'https://auth0.com/docs',
    detect: [
      { json: { '0.log_id': true, '0.data.type': true }, order: 80 },
      { json: { log_id: true, 'data.type': true }, order: 80 },
    ],
    eventType: ['json:0.data.type', 'json:data.type', 'json:type'],
    signatures: [token('authorization')],
    secretHint: 'Monitoring > Streams > the stream > Authorization Token',
  },
  {
    name: 'authorize-net',
    title: 'Authorize.Net',
    docsUrl: 'https://developer.authorize.net',
    detect: [{ anyHeader: ['x-anet-signature'], order: 26 }],
    eventType: ['json:eventType'],
    signatures: [hmac('x-anet-signature', { prefix: 'sha512=', hash: 'sha512', keyFormat: 'hex' })],
    secretHint: 'Account > Settings > API Credentials & Keys > Signature Key',
  },
  {
    name: 'aws-eventbridge',
    title: 'Amazon EventBridge',
    docsUrl: 'https://docs.aws.amazon.com/eventbridge/',
    detect: [
      { json: { 'detail-type': true, source: true, detail: true }, order: 50 },
      { userAgent: 'Amazon/EventBridge/ApiDestinations', order: 50 },
    ],
    eventType: ['json:detail-type'],
    signatures: [token('authorization')],
    secretHint: 'The value of the Authorization header that the connection sends',
  },
  {
    name: 'aws-sns',
    title: 'Amazon SNS',
    docsUrl: 'https://docs.aws.amazon.com/sns/',
    detect: [{ anyHeader: ['x-amz-sns-message-type', 'x-amz-sns-topic-arn'], order: 20 }],
    eventType: ['header:x-amz-sns-message-type', 'json:Type'],
    signatures: [customScheme('aws-sns', null, { keyFormat: 'public-key' })],
    secretHint: 'The PEM certificate behind the SigningCertURL of a notification',
    notes:
      'A subscription must be confirmed by opening the `SubscribeURL` of the recorded delivery: Hooktape makes no request on its own. Raw message delivery is unsigned.',
  },
  {
    name: 'azure-event-grid',
    title: 'Azure Event Grid',
    docsUrl: 'https://learn.microsoft.com/azure/event-grid/',
    detect: [
      { anyHeader: ['aeg-event-type', 'aeg-subscription-name', 'aeg-delivery-count'], order: 21 },
      { methods: ['OPTIONS'], headerValues: { 'webhook-request-origin': /^eventgrid\.azure\.net$/i }, order: 21 },
    ],
    eventType: ['json:0.eventType', 'json:0.type', 'json:type'],
    signatures: [],
    secretHint: null,
    handshake:
      '`SubscriptionValidation`: the validation code is sent back; for the CloudEvents schema, `OPTIONS` with `WebHook-Request-Origin`.',
  },
  {
    name: 'bigcommerce',
    title: 'BigCommerce',
    docsUrl: 'https://developer.bigcommerce.com',
    detect: [{ json: { scope: /^store\//, producer: /^stores\// }, order: 40 }],
    eventType: ['json:scope'],
    signatures: [standardWebhooks('webhook', { keyFormat: 'text' })],
    secretHint: 'Client secret of the app that created the webhook',
  },
  {
    name: 'bitbucket',
    title: 'Bitbucket Cloud',
    docsUrl: 'https://support.atlassian.com/bitbucket-cloud/',
    detect: [
      { allHeaders: ['x-event-key', 'x-hook-uuid'], order: 22 },
      { userAgent: 'Bitbucket-Webhooks/2.0', order: 22 },
    ],
    eventType: ['header:x-event-key'],
    signatures: [hmac('x-hub-signature', { prefix: 'sha256=' })],
    secretHint: 'Repository settings > Webhooks > the webhook > Secret',
  },
  {
    name: 'bitbucket-server',
    title: 'Bitbucket Data Center',
    docsUrl: 'https://confluence.atlassian.com/bitbucketserver/',
    detect: [{ allHeaders: ['x-event-key'], absentHeaders: ['x-hook-uuid'], order: 23 }],
    eventType: ['header:x-event-key'],
    signatures: [hmac('x-hub-signature', { prefix: 'sha256=' })],
    secretHint: 'Repository settings > Webhooks > the webhook > Secret',
  },
  {
    name: 'box',
    title: 'Box',
    docsUrl: 'https://developer.box.com',
    detect: [{ anyHeader: ['box-signature-primary', 'box-signature-version', 'box-delivery-id'], order: 20 }],
    eventType: ['json:trigger'],
    signatures: [
      hmac('box-signature-primary', {
        alternativeHeaders: [{ header: 'box-signature-secondary' }],
        encoding: 'base64',
        message: '{body}{box-delivery-timestamp}',
        bodyVariant: 'ascii-json',
        time: { from: 'header:box-delivery-timestamp', unit: 'rfc3339', toleranceSeconds: 600 },
      }),
    ],
    secretHint: 'Developer Console > the app > Webhooks > Manage signature keys (primary and secondary)',
  },
  {
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
  },
  {
    name: 'buildkite',
    title: 'Buildkite',
    docsUrl: 'https://buildkite.com/docs',
    detect: [{ anyHeader: ['x-buildkite-event', 'x-buildkite-signature', 'x-buildkite-token'], order: 20 }],
    eventType: ['header:x-buildkite-event', 'json:event'],
    signatures: [
      hmac('x-buildkite-signature', {
        list: { separator: ',', signature: 'signature', timestamp: 'timestamp' },
        message: '{timestamp}.{body}',
        time: { from: 'value:timestamp', unit: 's', toleranceSeconds: 300 },
      }),
      token('x-buildkite-token'),
    ],
    secretHint: 'Notification Services > the webhook > Token',
  },
];
