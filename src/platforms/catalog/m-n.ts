/* Platforms, M to N. The columns are explained in `../model.ts`, the sentences of the signature column in `../schemes.ts`. */
import { formJson, issuedByNetlify, messaging } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { customScheme, hmac, timedHmac } from '../engine/schemes.ts';

export const platformsMN: readonly Platform[] = [
  {
    name: 'mailchimp',
    title: 'Mailchimp',
    docsUrl: 'https://mailchimp.com/developer/',
    detect: [
      { anyHeader: ['x-mailchimp-signature'], order: 45 },
      { form: { type: true, fired_at: true, 'data[list_id]': true }, order: 45 },
    ],
    eventType: ['form:type'],
    signatures: [timedHmac('x-mailchimp-signature')],
    secretHint: 'The secret shown when the webhook was created',
  },
  {
    name: 'mailgun',
    title: 'Mailgun',
    docsUrl: 'https://documentation.mailgun.com',
    detect: [
      {
        json: { 'event-data': true, 'signature.signature': true, 'signature.timestamp': true, 'signature.token': true },
        order: 45,
      },
      { form: { signature: /^[0-9a-f]{64}$/, timestamp: /^\d+$/, token: true }, order: 45 },
    ],
    eventType: ['json:event-data.event', 'form:event'],
    signatures: [
      customScheme('mailgun', null, { proves: 'origin', note: 'only timestamp and token are signed, not the event' }),
    ],
    secretHint: 'Sending > Webhooks > HTTP webhook signing key',
  },
  {
    name: 'mandrill',
    title: 'Mailchimp Transactional (Mandrill)',
    docsUrl: 'https://mailchimp.com/developer/transactional/',
    detect: [{ anyHeader: ['x-mandrill-signature'], order: 20 }],
    eventType: [formJson('mandrill_events', '0.event')],
    signatures: [customScheme('mandrill', 'x-mandrill-signature')],
    secretHint: 'Settings > Webhooks > the webhook > Key',
    notes: 'The URL must be the one that was configured, to the letter.',
  },
  {
    name: 'mercadopago',
    title: 'Mercado Pago',
    docsUrl: 'https://www.mercadopago.com/developers',
    detect: [{ headerValues: { 'x-signature': /^ts=/ }, order: 34 }],
    eventType: ['json:type', 'json:action'],
    signatures: [
      customScheme('mercadopago', 'x-signature', {
        proves: 'origin',
        note: 'only the id, the request id and the time are signed',
      }),
    ],
    secretHint: 'Your integrations > the application > Webhooks > Secret signature',
  },
  {
    name: 'meta',
    aliases: ['facebook', 'instagram', 'whatsapp', 'messenger', 'threads'],
    title: 'Meta (Facebook, Instagram, WhatsApp)',
    docsUrl: 'https://developers.facebook.com/docs',
    detect: [
      {
        absentHeaders: ['x-github-event'],
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
    secretHint: 'App dashboard > App settings > Basic > App secret; for the handshake also the verify token you chose',
    takesVerifyToken: true,
    handshake:
      '`GET ?hub.verify_token=`: the challenge is sent back when the token is registered as a Meta secret, 403 when it is another.',
  },
  {
    name: 'microsoft-graph',
    title: 'Microsoft Graph',
    docsUrl: 'https://learn.microsoft.com/graph/',
    detect: [
      { json: { 'value.0.subscriptionId': true, 'value.0.changeType': true }, order: 30 },
      { json: { 'value.0.subscriptionId': true, 'value.0.lifecycleEvent': true }, order: 30 },
      { methods: ['POST'], query: { validationtoken: true }, order: 30 },
    ],
    eventType: ['json:value.0.changeType', 'json:value.0.lifecycleEvent', 'json:value.0.resource'],
    signatures: [
      customScheme('client-state', null, {
        proves: 'origin',
        note: 'clientState is a fixed value in each notification',
      }),
    ],
    secretHint: 'The clientState you gave when you created the subscription',
    handshake: '`POST ?validationToken=`: the token is sent back.',
    notes: 'The tokens of rich notifications (`validationTokens`) are not checked.',
  },
  {
    name: 'microsoft-teams',
    title: 'Microsoft Teams outgoing webhooks',
    docsUrl: 'https://learn.microsoft.com/microsoftteams/',
    detect: [{ headerValues: { authorization: /^HMAC / }, order: 50 }],
    eventType: ['json:type'],
    signatures: [hmac('authorization', { prefix: 'HMAC ', encoding: 'base64', keyFormat: 'base64' })],
    secretHint: 'The security token shown when the outgoing webhook was created',
  },
  {
    name: 'mollie',
    title: 'Mollie',
    docsUrl: 'https://docs.mollie.com',
    detect: [
      { anyHeader: ['x-mollie-signature'], order: 25 },
      { form: { id: /^(tr|ord|sub|cst|mdt|re|chb|pl|stl|cap)_\w+$/ }, keyCount: 1, order: 50 },
    ],
    eventType: ['json:type', 'form:id'],
    signatures: [hmac('x-mollie-signature', { prefix: 'sha256=' })],
    secretHint: 'Dashboard > Developers > Webhooks > the webhook > Signing secret',
  },
  {
    name: 'monday',
    title: 'monday.com',
    docsUrl: 'https://developer.monday.com',
    detect: [
      { json: { challenge: true }, keyCount: 1, order: 40 },
      { json: { 'event.type': true, 'event.subscriptionId': true }, order: 40 },
      { json: { 'event.type': true, 'event.boardId': true }, order: 40 },
    ],
    eventType: ['json:event.type'],
    signatures: [
      customScheme('jwt', 'authorization', {
        label: 'jwt-hs256',
        proves: 'origin',
        note: 'webhooks of an app; the body is not covered',
      }),
    ],
    secretHint: 'Developer Center > the app > Basic information > Signing secret',
    handshake: 'JSON `challenge`: sent back.',
  },
  {
    name: 'mongodb-atlas',
    title: 'MongoDB Atlas',
    docsUrl: 'https://www.mongodb.com/docs/atlas/',
    detect: [{ anyHeader: ['x-mms-signature'], order: 26 }],
    eventType: ['json:eventTypeName'],
    signatures: [hmac('x-mms-signature', { hash: 'sha1', encoding: 'base64' })],
    secretHint: 'Project settings > Integrations > Webhook > Webhook secret',
  },
  {
    name: 'mux',
    title: 'Mux',
    docsUrl: 'https://docs.mux.com',
    detect: [{ anyHeader: ['mux-signature'], order: 20 }],
    eventType: ['json:type'],
    signatures: [timedHmac('mux-signature')],
    secretHint: 'Dashboard > Settings > Webhooks > the webhook > Signing secret',
  },
  {
    name: 'netlify',
    title: 'Netlify',
    docsUrl: 'https://docs.netlify.com',
    detect: [
      { anyHeader: ['x-netlify-event'], order: 25 },
      { allHeaders: ['x-webhook-signature'], when: issuedByNetlify, order: 25 },
    ],
    eventType: ['header:x-netlify-event', 'json:state'],
    signatures: [customScheme('jwt-body-hash', 'x-webhook-signature', { label: 'jwt-hs256', version: 'sha256' })],
    secretHint: 'Project configuration > Notifications > the HTTP POST request > JWS secret token',
  },
  {
    name: 'notion',
    title: 'Notion',
    docsUrl: 'https://developers.notion.com',
    detect: [
      { anyHeader: ['x-notion-signature'], order: 20 },
      { json: { verification_token: true }, keyCount: 1, order: 50 },
    ],
    eventType: ['json:type'],
    signatures: [hmac('x-notion-signature', { prefix: 'sha256=' })],
    secretHint:
      'Learned from the handshake: the verification_token of the first delivery, which you also paste at Notion',
    handshake:
      "The delivery with the `verification_token`: the token becomes the endpoint's Notion secret, which a person has to confirm.",
  },
  {
    name: 'npm',
    title: 'npm hooks',
    docsUrl: 'https://docs.npmjs.com',
    detect: [{ anyHeader: ['x-npm-signature'], order: 20 }],
    eventType: ['json:event'],
    signatures: [hmac('x-npm-signature', { prefix: 'sha256=' })],
    secretHint: 'The secret you chose when you added the hook',
  },
  {
    name: 'nylas',
    title: 'Nylas',
    docsUrl: 'https://developer.nylas.com',
    detect: [{ anyHeader: ['x-nylas-signature'], order: 26 }],
    eventType: ['json:type'],
    signatures: [hmac('x-nylas-signature')],
    secretHint: 'webhook_secret in the answer of the call that created the webhook',
    handshake: '`GET ?challenge=`: the challenge is sent back.',
  },
];
