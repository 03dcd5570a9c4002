/* Platforms, D to G. The columns are explained in `../model.ts`, the sentences of the signature column in `../schemes.ts`. */
import { docusignStatus, firstKey, formJson } from '../event-readers.ts';
import type { Platform } from '../model.ts';
import { hmac, publicKey, special, standardWebhooks, token } from '../schemes.ts';

export const platformsDG: readonly Platform[] = [
  {
    name: 'datadog',
    title: 'Datadog',
    docs: 'https://docs.datadoghq.com',
    detect: [
      { json: { last_updated: true, event_type: true, title: true, date: true, org: true, body: true }, order: 80 },
    ],
    eventType: ['json:event_type'],
    signatures: [],
    secret: null,
  },
  {
    name: 'discord',
    title: 'Discord',
    docs: 'https://discord.com/developers/docs',
    detect: [{ all: ['x-signature-ed25519', 'x-signature-timestamp'], order: 20 }],
    eventType: ['json:event.type', 'json:type'],
    signatures: [
      publicKey('x-signature-ed25519', 'ed25519', {
        message: '{x-signature-timestamp}{body}',
        time: { from: 'header:x-signature-timestamp', unit: 's' },
      }),
    ],
    secret: 'Developer Portal > the application > General Information > Public Key',
    handshake:
      '`PING` of interactions and of webhook events: answered when the signature holds, 401 when it does not; needs the public key.',
  },
  {
    name: 'dockerhub',
    title: 'Docker Hub',
    docs: 'https://docs.docker.com',
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
    secret: null,
  },
  {
    name: 'docusign',
    title: 'DocuSign',
    docs: 'https://developers.docusign.com',
    detect: [
      { any: ['x-docusign-signature-1', 'x-authorization-digest'], order: 20 },
      { json: { 'data.envelopeId': true, event: true }, order: 50 },
      { text: /<DocuSignEnvelopeInformation[\s>]/, order: 50 },
    ],
    eventType: ['json:event', docusignStatus],
    signatures: [hmac('x-docusign-signature-1', { pattern: /^x-docusign-signature-[0-9]{1,3}$/, encoding: 'base64' })],
    secret: 'Settings > Connect > Connect Keys (each key has its own header)',
  },
  {
    name: 'dropbox',
    title: 'Dropbox',
    docs: 'https://www.dropbox.com/developers',
    detect: [{ any: ['x-dropbox-signature'], order: 20 }],
    eventType: [firstKey],
    signatures: [hmac('x-dropbox-signature')],
    secret: 'App Console > the app > App secret',
    handshake: '`GET ?challenge=`: the challenge is sent back.',
  },
  {
    name: 'dropbox-sign',
    title: 'Dropbox Sign',
    docs: 'https://developers.hellosign.com',
    detect: [
      { form: { json: /"event_hash"/ }, order: 45 },
      { json: { 'event.event_hash': true, 'event.event_type': true }, order: 45 },
    ],
    eventType: [formJson('json', 'event.event_type'), 'json:event.event_type'],
    signatures: [
      special('dropbox-sign', null, { proves: 'origin', note: 'only time and type of the event are signed' }),
    ],
    secret: 'API settings > API key',
    handshake: 'Every delivery: `Hello API Event Received`.',
  },
  {
    name: 'dwolla',
    title: 'Dwolla',
    docs: 'https://developers.dwolla.com',
    detect: [{ any: ['x-request-signature-sha-256'], order: 26 }],
    eventType: ['json:topic'],
    signatures: [hmac('x-request-signature-sha-256')],
    secret: 'The secret you chose when you created the webhook subscription',
  },
  {
    name: 'easypost',
    title: 'EasyPost',
    docs: 'https://docs.easypost.com',
    detect: [
      { any: ['x-hmac-signature'], order: 20 },
      { json: { description: true, object: 'Event', result: true }, order: 50 },
    ],
    eventType: ['json:description'],
    signatures: [hmac('x-hmac-signature', { prefix: 'hmac-sha256-hex=', key: 'nfkd', bodyAs: 'float-weights' })],
    secret: 'The webhook_secret you chose when you created the webhook',
  },
  {
    name: 'ebay',
    title: 'eBay',
    docs: 'https://developer.ebay.com',
    detect: [
      { any: ['x-ebay-signature'], order: 26 },
      { method: ['GET'], query: { challenge_code: /^[\w-]{16,128}$/ }, order: 45 },
    ],
    eventType: ['json:metadata.topic'],
    signatures: [special('ebay', 'x-ebay-signature', { key: 'public-key' })],
    secret:
      'For deliveries the public key named by kid in the signature; for the challenge the verification token you chose',
    verifyToken: true,
    handshake: '`GET ?challenge_code=`: answered with the registered verification token.',
  },
  {
    name: 'flutterwave',
    title: 'Flutterwave',
    docs: 'https://developer.flutterwave.com',
    detect: [{ any: ['verif-hash'], order: 26 }],
    eventType: ['json:event'],
    signatures: [token('verif-hash')],
    secret: 'Settings > Webhooks > Secret hash',
  },
  {
    name: 'forgejo',
    title: 'Forgejo',
    docs: 'https://forgejo.org/docs/',
    detect: [{ any: ['x-forgejo-event', 'x-forgejo-delivery', 'x-forgejo-signature'], order: 21 }],
    eventType: ['header:x-forgejo-event', 'header:x-forgejo-event-type'],
    signatures: [
      hmac('x-forgejo-signature', {
        also: [{ header: 'x-gitea-signature' }, { header: 'x-hub-signature-256', prefix: 'sha256=' }],
        bodyAs: 'json-text',
      }),
    ],
    secret: 'Repository settings > Webhooks > the webhook > Secret',
  },
  {
    name: 'front',
    title: 'Front',
    docs: 'https://dev.frontapp.com',
    detect: [{ any: ['x-front-signature'], order: 26 }],
    eventType: ['json:type'],
    signatures: [
      hmac('x-front-signature', {
        encoding: 'base64',
        message: '{x-front-request-timestamp}:{body}',
        time: { from: 'header:x-front-request-timestamp', unit: 'ms' },
      }),
    ],
    secret: 'Settings > Developers > the app > Basic information > Signing key',
  },
  {
    name: 'gitea',
    title: 'Gitea',
    docs: 'https://docs.gitea.com',
    detect: [{ any: ['x-gitea-event', 'x-gitea-delivery'], order: 22 }],
    eventType: ['header:x-gitea-event', 'header:x-gitea-event-type'],
    signatures: [
      hmac('x-gitea-signature', {
        also: [{ header: 'x-gogs-signature' }, { header: 'x-hub-signature-256', prefix: 'sha256=' }],
        bodyAs: 'json-text',
      }),
    ],
    secret: 'Repository settings > Webhooks > the webhook > Secret',
  },
  {
    name: 'github',
    title: 'GitHub',
    docs: 'https://docs.github.com/webhooks',
    detect: [
      {
        any: ['x-github-event', 'x-github-delivery'],
        absent: ['x-gitea-event', 'x-forgejo-event', 'x-gogs-event'],
        order: 24,
      },
    ],
    eventType: ['header:x-github-event', 'json:action'],
    signatures: [
      hmac('x-hub-signature-256', { prefix: 'sha256=' }),
      hmac('x-hub-signature', { prefix: 'sha1=', hash: 'sha1' }),
    ],
    secret: 'Settings > Webhooks > the webhook > Secret',
  },
  {
    name: 'gitlab',
    title: 'GitLab',
    docs: 'https://docs.gitlab.com',
    detect: [
      { any: ['x-gitlab-event', 'x-gitlab-event-uuid', 'x-gitlab-webhook-uuid', 'x-gitlab-instance'], order: 20 },
    ],
    eventType: ['header:x-gitlab-event', 'json:object_kind', 'json:event_name'],
    signatures: [token('x-gitlab-token'), standardWebhooks('webhook')],
    secret: 'Settings > Webhooks > the webhook > Secret token or Signing token',
  },
  {
    name: 'gocardless',
    title: 'GoCardless',
    docs: 'https://developer.gocardless.com',
    detect: [
      {
        all: ['webhook-signature'],
        absent: ['webhook-id', 'webhook-timestamp'],
        json: { 'events.0.resource_type': true, 'meta.webhook_id': true },
        order: 30,
      },
      {
        all: ['webhook-signature'],
        absent: ['webhook-id', 'webhook-timestamp'],
        agent: 'gocardless-webhook-service/',
        order: 30,
      },
    ],
    eventType: ['json:events.0.resource_type', 'json:events.0.action'],
    signatures: [hmac('webhook-signature')],
    secret: 'Developers > Webhook endpoints > the endpoint > Secret',
  },
  {
    name: 'gogs',
    title: 'Gogs',
    docs: 'https://gogs.io/docs',
    detect: [{ any: ['x-gogs-event', 'x-gogs-delivery'], absent: ['x-gitea-event'], order: 23 }],
    eventType: ['header:x-gogs-event'],
    signatures: [hmac('x-gogs-signature')],
    secret: 'Repository settings > Webhooks > the webhook > Secret',
  },
  {
    name: 'google-pubsub',
    title: 'Google Cloud Pub/Sub',
    docs: 'https://cloud.google.com/pubsub/docs',
    detect: [{ json: { 'message.messageId': true, subscription: /^projects\/[^/]+\/subscriptions\// }, order: 45 }],
    eventType: ['json:message.attributes.eventType', 'json:subscription'],
    signatures: [
      special('jwt', 'authorization', {
        label: 'jwt-rs256',
        prefix: 'Bearer ',
        key: 'public-key',
        proves: 'origin',
        note: 'the body is not covered',
      }),
    ],
    secret: "Google's public keys as a JWK set (https://www.googleapis.com/oauth2/v3/certs)",
  },
  {
    name: 'google-push',
    title: 'Google push notifications',
    docs: 'https://developers.google.com/workspace',
    detect: [{ any: ['x-goog-channel-id', 'x-goog-resource-state', 'x-goog-resource-id'], order: 20 }],
    eventType: ['header:x-goog-resource-state'],
    signatures: [token('x-goog-channel-token')],
    secret: 'The token you gave in the watch call',
  },
  {
    name: 'grafana',
    title: 'Grafana',
    docs: 'https://grafana.com/docs',
    detect: [
      { any: ['x-grafana-alerting-signature'], order: 45 },
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
    secret: 'Alerting > Contact points > the webhook > HMAC signature > Secret',
  },
];
