/* Platforms, M to N. The columns are explained in `../model.ts`, the sentences of the signature column in `../schemes.ts`. */
import { formJson, issuedByNetlify, messaging } from '../event-readers.ts';
import type { Platform } from '../model.ts';
import { hmac, special, timedHmac } from '../schemes.ts';

export const platformsMN: readonly Platform[] = [
  {
    name: 'mailchimp',
    title: 'Mailchimp',
    docs: 'https://mailchimp.com/developer/',
    detect: [
      { any: ['x-mailchimp-signature'], order: 45 },
      { form: { type: true, fired_at: true, 'data[list_id]': true }, order: 45 },
    ],
    eventType: ['form:type'],
    signatures: [timedHmac('x-mailchimp-signature')],
    secret: 'The secret shown when the webhook was created',
  },
  {
    name: 'mailgun',
    title: 'Mailgun',
    docs: 'https://documentation.mailgun.com',
    detect: [
      {
        json: { 'event-data': true, 'signature.signature': true, 'signature.timestamp': true, 'signature.token': true },
        order: 45,
      },
      { form: { signature: /^[0-9a-f]{64}$/, timestamp: /^\d+$/, token: true }, order: 45 },
    ],
    eventType: ['json:event-data.event', 'form:event'],
    signatures: [
      special('mailgun', null, { proves: 'origin', note: 'only timestamp and token are signed, not the event' }),
    ],
    secret: 'Sending > Webhooks > HTTP webhook signing key',
  },
  {
    name: 'mandrill',
    title: 'Mailchimp Transactional (Mandrill)',
    docs: 'https://mailchimp.com/developer/transactional/',
    detect: [{ any: ['x-mandrill-signature'], order: 20 }],
    eventType: [formJson('mandrill_events', '0.event')],
    signatures: [special('mandrill', 'x-mandrill-signature')],
    secret: 'Settings > Webhooks > the webhook > Key',
    notes: 'The URL must be the one that was configured, to the letter.',
  },
  {
    name: 'mercadopago',
    title: 'Mercado Pago',
    docs: 'https://www.mercadopago.com/developers',
    detect: [{ value: { 'x-signature': /^ts=/ }, order: 34 }],
    eventType: ['json:type', 'json:action'],
    signatures: [
      special('mercadopago', 'x-signature', {
        proves: 'origin',
        note: 'only the id, the request id and the time are signed',
      }),
    ],
    secret: 'Your integrations > the application > Webhooks > Secret signature',
  },
  {
    name: 'meta',
    aliases: ['facebook', 'instagram', 'whatsapp', 'messenger', 'threads'],
    title: 'Meta (Facebook, Instagram, WhatsApp)',
    docs: 'https://developers.facebook.com/docs',
    detect: [
      {
        absent: ['x-github-event'],
        json: {
          object: ['page', 'user', 'instagram', 'whatsapp_business_account', 'permissions', 'application'],
          'entry.0': true,
        },
        order: 35,
      },
    ],
    eventType: ['json:entry.0.changes.0.field', messaging, 'json:object'],
    signatures: [
      hmac('x-hub-signature-256', { prefix: 'sha256=' }),
      hmac('x-hub-signature', { prefix: 'sha1=', hash: 'sha1' }),
    ],
    secret: 'App dashboard > App settings > Basic > App secret; for the handshake also the verify token you chose',
    verifyToken: true,
    handshake:
      '`GET ?hub.verify_token=`: the challenge is sent back when the token is registered as a Meta secret, 403 when it is another.',
  },
  {
    name: 'microsoft-graph',
    title: 'Microsoft Graph',
    docs: 'https://learn.microsoft.com/graph/',
    detect: [
      { json: { 'value.0.subscriptionId': true, 'value.0.changeType': true }, order: 30 },
      { json: { 'value.0.subscriptionId': true, 'value.0.lifecycleEvent': true }, order: 30 },
      { method: ['POST'], query: { validationtoken: true }, order: 30 },
    ],
    eventType: ['json:value.0.changeType', 'json:value.0.lifecycleEvent', 'json:value.0.resource'],
    signatures: [
      special('client-state', null, { proves: 'origin', note: 'clientState is a fixed value in each notification' }),
    ],
    secret: 'The clientState you gave when you created the subscription',
    handshake: '`POST ?validationToken=`: the token is sent back.',
    notes: 'The tokens of rich notifications (`validationTokens`) are not checked.',
  },
  {
    name: 'microsoft-teams',
    title: 'Microsoft Teams outgoing webhooks',
    docs: 'https://learn.microsoft.com/microsoftteams/',
    detect: [{ value: { authorization: /^HMAC / }, order: 50 }],
    eventType: ['json:type'],
    signatures: [hmac('authorization', { prefix: 'HMAC ', encoding: 'base64', key: 'base64' })],
    secret: 'The security token shown when the outgoing webhook was created',
  },
  {
    name: 'mollie',
    title: 'Mollie',
    docs: 'https://docs.mollie.com',
    detect: [
      { any: ['x-mollie-signature'], order: 25 },
      { form: { id: /^(tr|ord|sub|cst|mdt|re|chb|pl|stl|cap)_\w+$/ }, keys: 1, order: 50 },
    ],
    eventType: ['json:type', 'form:id'],
    signatures: [hmac('x-mollie-signature', { prefix: 'sha256=' })],
    secret: 'Dashboard > Developers > Webhooks > the webhook > Signing secret',
  },
  {
    name: 'monday',
    title: 'monday.com',
    docs: 'https://developer.monday.com',
    detect: [
      { json: { challenge: true }, keys: 1, order: 40 },
      { json: { 'event.type': true, 'event.subscriptionId': true }, order: 40 },
      { json: { 'event.type': true, 'event.boardId': true }, order: 40 },
    ],
    eventType: ['json:event.type'],
    signatures: [
      special('jwt', 'authorization', {
        label: 'jwt-hs256',
        proves: 'origin',
        note: 'webhooks of an app; the body is not covered',
      }),
    ],
    secret: 'Developer Center > the app > Basic information > Signing secret',
    handshake: 'JSON `challenge`: sent back.',
  },
  {
    name: 'mongodb-atlas',
    title: 'MongoDB Atlas',
    docs: 'https://www.mongodb.com/docs/atlas/',
    detect: [{ any: ['x-mms-signature'], order: 26 }],
    eventType: ['json:eventTypeName'],
    signatures: [hmac('x-mms-signature', { hash: 'sha1', encoding: 'base64' })],
    secret: 'Project settings > Integrations > Webhook > Webhook secret',
  },
  {
    name: 'mux',
    title: 'Mux',
    docs: 'https://docs.mux.com',
    detect: [{ any: ['mux-signature'], order: 20 }],
    eventType: ['json:type'],
    signatures: [timedHmac('mux-signature')],
    secret: 'Dashboard > Settings > Webhooks > the webhook > Signing secret',
  },
  {
    name: 'netlify',
    title: 'Netlify',
    docs: 'https://docs.netlify.com',
    detect: [
      { any: ['x-netlify-event'], order: 25 },
      { all: ['x-webhook-signature'], when: issuedByNetlify, order: 25 },
    ],
    eventType: ['header:x-netlify-event', 'json:state'],
    signatures: [special('jwt-body-hash', 'x-webhook-signature', { label: 'jwt-hs256', version: 'sha256' })],
    secret: 'Project configuration > Notifications > the HTTP POST request > JWS secret token',
  },
  {
    name: 'notion',
    title: 'Notion',
    docs: 'https://developers.notion.com',
    detect: [
      { any: ['x-notion-signature'], order: 20 },
      { json: { verification_token: true }, keys: 1, order: 50 },
    ],
    eventType: ['json:type'],
    signatures: [hmac('x-notion-signature', { prefix: 'sha256=' })],
    secret: 'Learned from the handshake: the verification_token of the first delivery, which you also paste at Notion',
    handshake:
      "The delivery with the `verification_token`: the token becomes the endpoint's Notion secret, which a person has to confirm.",
  },
  {
    name: 'npm',
    title: 'npm hooks',
    docs: 'https://docs.npmjs.com',
    detect: [{ any: ['x-npm-signature'], order: 20 }],
    eventType: ['json:event'],
    signatures: [hmac('x-npm-signature', { prefix: 'sha256=' })],
    secret: 'The secret you chose when you added the hook',
  },
  {
    name: 'nylas',
    title: 'Nylas',
    docs: 'https://developer.nylas.com',
    detect: [{ any: ['x-nylas-signature'], order: 26 }],
    eventType: ['json:type'],
    signatures: [hmac('x-nylas-signature')],
    secret: 'webhook_secret in the answer of the call that created the webhook',
    handshake: '`GET ?challenge=`: the challenge is sent back.',
  },
];
