/* Platforms, D to G. The columns are explained in `../model.ts`, the sentences of the signature column in `../schemes.ts`. */
import { docusignStatus, firstKey, formJson } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { customScheme, hmac, publicKey, standardWebhooks, token } from '../engine/schemes.ts';

export const platformsDG: readonly Platform[] = [
  {
    name: 'datadog',
    title: 'Datadog',
    docsUrl: 'https://docs.datadoghq.com',
    detect: [
      { json: { last_updated: true, event_type: true, title: true, date: true, org: true, body: true }, order: 80 },
    ],
    eventType: ['json:event_type'],
    signatures: [],
    secretHint: null,
  },
  {
    name: 'discord',
    title: 'Discord',
    docsUrl: 'https://discord.com/developers/docs',
    detect: [{ allHeaders: ['x-signature-ed25519', 'x-signature-timestamp'], order: 20 }],
    eventType: ['json:event.type', 'json:type'],
    signatures: [
      publicKey('x-signature-ed25519', 'ed25519', {
        message: '{x-signature-timestamp}{body}',
        time: { from: 'header:x-signature-timestamp', unit: 's' },
      }),
    ],
    secretHint: 'Developer Portal > the application > General Information > Public Key',
    handshake:
      '`PING` of interactions and of webhook events: answered when the signature holds, 401 when it does not; needs the public key.',
  },
  {
    name: 'dockerhub',
    title: 'Docker Hub',
    docsUrl: 'https://docs.docker.com',
    detect: [
      {
        json: {
          push_data: true,
          'repository.repo_name': true,
          callback_url: /^https:\/\/registry\.hub\.docker\.com\//,
        },
        order: 50,
      },
    ],
    eventType: ['text:push'],
    signatures: [],
    secretHint: null,
  },
  {
    name: 'docusign',
    title: 'DocuSign',
    docsUrl: 'https://developers.docusign.com',
    detect: [
      { anyHeader: ['x-docusign-signature-1', 'x-authorization-digest'], order: 20 },
      { json: { 'data.envelopeId': true, event: true }, order: 50 },
      { bodyText: /<DocuSignEnvelopeInformation[\s>]/, order: 50 },
    ],
    eventType: ['json:event', docusignStatus],
    signatures: [
      hmac('x-docusign-signature-1', { headerPattern: /^x-docusign-signature-[0-9]{1,3}$/, encoding: 'base64' }),
    ],
    secretHint: 'Settings > Connect > Connect Keys (each key has its own header)',
  },
  {
    name: 'dropbox',
    title: 'Dropbox',
    docsUrl: 'https://www.dropbox.com/developers',
    detect: [{ anyHeader: ['x-dropbox-signature'], order: 20 }],
    eventType: [firstKey],
    signatures: [hmac('x-dropbox-signature')],
    secretHint: 'App Console > the app > App secret',
    handshake: '`GET ?challenge=`: the challenge is sent back.',
  },
  {
    name: 'dropbox-sign',
    title: 'Dropbox Sign',
    docsUrl: 'https://developers.hellosign.com',
    detect: [
      { form: { json: /"event_hash"/ }, order: 45 },
      { json: { 'event.event_hash': true, 'event.event_type': true }, order: 45 },
    ],
    eventType: [formJson('json', 'event.event_type'), 'json:event.event_type'],
    signatures: [
      customScheme('dropbox-sign', null, { proves: 'origin', note: 'only time and type of the event are signed' }),
    ],
    secretHint: 'API settings > API key',
    handshake: 'Every delivery: `Hello API Event Received`.',
  },
  {
    name: 'dwolla',
    title: 'Dwolla',
    docsUrl: 'https://developers.dwolla.com',
    detect: [{ anyHeader: ['x-request-signature-sha-256'], order: 26 }],
    eventType: ['json:topic'],
    signatures: [hmac('x-request-signature-sha-256')],
    secretHint: 'The secret you chose when you created the webhook subscription',
  },
  {
    name: 'easypost',
    title: 'EasyPost',
    docsUrl: 'https://docs.easypost.com',
    detect: [
      { anyHeader: ['x-hmac-signature'], order: 20 },
      { json: { description: true, object: 'Event', result: true }, order: 50 },
    ],
    eventType: ['json:description'],
    signatures: [
      hmac('x-hmac-signature', { prefix: 'hmac-sha256-hex=', keyFormat: 'nfkd', bodyVariant: 'float-weights' }),
    ],
    secretHint: 'The webhook_secret you chose when you created the webhook',
  },
  {
    name: 'ebay',
    title: 'eBay',
    docsUrl: 'https://developer.ebay.com',
    detect: [
      { anyHeader: ['x-ebay-signature'], order: 26 },
      { methods: ['GET'], query: { challenge_code: /^[\w-]{16,128}$/ }, order: 45 },
    ],
    eventType: ['json:metadata.topic'],
    signatures: [customScheme('ebay', 'x-ebay-signature', { keyFormat: 'public-key' })],
    secretHint:
      'For deliveries the public key named by kid in the signature; for the challenge the verification token you chose',
    takesVerifyToken: true,
    handshake: '`GET ?challenge_code=`: answered with the registered verification token.',
  },
  {
    name: 'flutterwave',
    title: 'Flutterwave',
    docsUrl: 'https://developer.flutterwave.com',
    detect: [{ anyHeader: ['verif-hash'], order: 26 }],
    eventType: ['json:event'],
    signatures: [token('verif-hash')],
    secretHint: 'Settings > Webhooks > Secret hash',
  },
  {
    name: 'forgejo',
    title: 'Forgejo',
    docsUrl: 'https://forgejo.org/docs/',
    detect: [{ anyHeader: ['x-forgejo-event', 'x-forgejo-delivery', 'x-forgejo-signature'], order: 21 }],
    eventType: ['header:x-forgejo-event', 'header:x-forgejo-event-type'],
    signatures: [
      hmac('x-forgejo-signature', {
        alternativeHeaders: [{ header: 'x-gitea-signature' }, { header: 'x-hub-signature-256', prefix: 'sha256=' }],
        bodyVariant: 'json-text',
      }),
    ],
    secretHint: 'Repository settings > Webhooks > the webhook > Secret',
  },
  {
    name: 'front',
    title: 'Front',
    docsUrl: 'https://dev.frontapp.com',
    detect: [{ anyHeader: ['x-front-signature'], order: 26 }],
    eventType: ['json:type'],
    signatures: [
      hmac('x-front-signature', {
        encoding: 'base64',
        message: '{x-front-request-timestamp}:{body}',
        time: { from: 'header:x-front-request-timestamp', unit: 'ms' },
      }),
    ],
    secretHint: 'Settings > Developers > the app > Basic information > Signing key',
  },
  {
    name: 'gitea',
    title: 'Gitea',
    docsUrl: 'https://docs.gitea.com',
    detect: [{ anyHeader: ['x-gitea-event', 'x-gitea-delivery'], order: 22 }],
    eventType: ['header:x-gitea-event', 'header:x-gitea-event-type'],
    signatures: [
      hmac('x-gitea-signature', {
        alternativeHeaders: [{ header: 'x-gogs-signature' }, { header: 'x-hub-signature-256', prefix: 'sha256=' }],
        bodyVariant: 'json-text',
      }),
    ],
    secretHint: 'Repository settings > Webhooks > the webhook > Secret',
  },
  {
    name: 'github',
    title: 'GitHub',
    docsUrl: 'https://docs.github.com/webhooks',
    detect: [
      {
        anyHeader: ['x-github-event', 'x-github-delivery'],
        absentHeaders: ['x-gitea-event', 'x-forgejo-event', 'x-gogs-event'],
        order: 24,
      },
    ],
    eventType: ['header:x-github-event', 'json:action'],
    signatures: [
      hmac('x-hub-signature-256', { prefix: 'sha256=' }),
      hmac('x-hub-signature', { prefix: 'sha1=', hash: 'sha1' }),
    ],
    secretHint: 'Settings > Webhooks > the webhook > Secret',
  },
  {
    name: 'gitlab',
    title: 'GitLab',
    docsUrl: 'https://docs.gitlab.com',
    detect: [
      { anyHeader: ['x-gitlab-event', 'x-gitlab-event-uuid', 'x-gitlab-webhook-uuid', 'x-gitlab-instance'], order: 20 },
    ],
    eventType: ['header:x-gitlab-event', 'json:object_kind', 'json:event_name'],
    signatures: [token('x-gitlab-token'), standardWebhooks('webhook')],
    secretHint: 'Settings > Webhooks > the webhook > Secret token or Signing token',
  },
  {
    name: 'gocardless',
    title: 'GoCardless',
    docsUrl: 'https://developer.gocardless.com',
    detect: [
      {
        allHeaders: ['webhook-signature'],
        absentHeaders: ['webhook-id', 'webhook-timestamp'],
        json: { 'events.0.resource_type': true, 'meta.webhook_id': true },
        order: 30,
      },
      {
        allHeaders: ['webhook-signature'],
        absentHeaders: ['webhook-id', 'webhook-timestamp'],
        userAgent: 'gocardless-webhook-service/',
        order: 30,
      },
    ],
    eventType: ['json:events.0.resource_type', 'json:events.0.action'],
    signatures: [hmac('webhook-signature')],
    secretHint: 'Developers > Webhook endpoints > the endpoint > Secret',
  },
  {
    name: 'gogs',
    title: 'Gogs',
    docsUrl: 'https://gogs.io/docs',
    detect: [{ anyHeader: ['x-gogs-event', 'x-gogs-delivery'], absentHeaders: ['x-gitea-event'], order: 23 }],
    eventType: ['header:x-gogs-event'],
    signatures: [hmac('x-gogs-signature')],
    secretHint: 'Repository settings > Webhooks > the webhook > Secret',
  },
  {
    name: 'google-pubsub',
    title: 'Google Cloud Pub/Sub',
    docsUrl: 'https://cloud.google.com/pubsub/docs',
    detect: [{ json: { 'message.messageId': true, subscription: /^projects\/[^/]+\/subscriptions\// }, order: 45 }],
    eventType: ['json:message.attributes.eventType', 'json:subscription'],
    signatures: [
      customScheme('jwt', 'authorization', {
        label: 'jwt-rs256',
        prefix: 'Bearer ',
        keyFormat: 'public-key',
        proves: 'origin',
        note: 'the body is not covered',
      }),
    ],
    secretHint: "Google's public keys as a JWK set (https://www.googleapis.com/oauth2/v3/certs)",
  },
  {
    name: 'google-push',
    title: 'Google push notifications',
    docsUrl: 'https://developers.google.com/workspace',
    detect: [{ anyHeader: ['x-goog-channel-id', 'x-goog-resource-state', 'x-goog-resource-id'], order: 20 }],
    eventType: ['header:x-goog-resource-state'],
    signatures: [token('x-goog-channel-token')],
    secretHint: 'The token you gave in the watch call',
  },
  {
    name: 'grafana',
    title: 'Grafana',
    docsUrl: 'https://grafana.com/docs',
    detect: [
      { anyHeader: ['x-grafana-alerting-signature'], order: 45 },
      { json: { orgId: true, receiver: true, status: true, alerts: true, version: '1' }, order: 45 },
    ],
    eventType: ['json:status'],
    signatures: [
      hmac('x-grafana-alerting-signature'),
      hmac('x-grafana-alerting-signature', {
        message: '{x-grafana-alerting-timestamp}:{body}',
        time: { from: 'header:x-grafana-alerting-timestamp', unit: 's' },
      }),
    ],
    secretHint: 'Alerting > Contact points > the webhook > HMAC signature > Secret',
  },
];
