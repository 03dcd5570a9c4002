import { valueAt } from '../engine/delivery-reader.ts';
import { json } from '../engine/handshake-answers.ts';
import type { HandshakeReply, HandshakeRequest, Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';
import { isNonEmptyString } from '../engine/signature-values.ts';
import { hmacOf, utf8 } from '../engine/verifiers/check.ts';

export const zoom: Platform = {
  name: 'zoom',
  title: 'Zoom',
  docsUrl: 'https://developers.zoom.us/docs',
  setup: {
    where: 'App Marketplace > the app > Features > Access > Event Subscriptions > Event notification endpoint URL',
    url: 'https://developers.zoom.us/docs/api/webhooks/',
  },
  detect: [{ anyHeader: ['x-zm-signature', 'x-zm-request-timestamp', 'x-zm-trackingid'], order: 20 }],
  eventType: ['json:event'],
  preview: [
    ['payload.object.participant.user_name', 'payload.object.participant.email', 'payload.operator'],
    'payload.object.topic',
    'payload.object.id',
  ],
  signatures: [
    hmac('x-zm-signature', {
      prefix: 'v0=',
      message: 'v0:{x-zm-request-timestamp}:{body}',
      timestamp: { from: 'header:x-zm-request-timestamp', unit: 's', toleranceSeconds: 300 },
    }),
  ],
  secretHint: 'App Marketplace > the app > Features > Access > Secret Token',
  handshakes: [
    {
      description: '`endpoint.url_validation`: Hooktape replies if the signature is valid; needs the secret token.',
      when: { method: 'POST', detected: true },
      answer: answerValidation,
    },
  ],
};

/** Answers only a request that Zoom itself signed: otherwise anyone could have tokens signed. */
function answerValidation({ json: body, signingSecret }: HandshakeRequest): HandshakeReply | null {
  const plainToken = valueAt(body(), 'payload.plainToken');
  if (valueAt(body(), 'event') !== 'endpoint.url_validation') return null;
  if (!isNonEmptyString(plainToken) || !/^[\w+/=-]{1,128}$/.test(plainToken)) return null;
  const secret = signingSecret();
  if (secret === null) return null;
  const encryptedToken = hmacOf('sha256', utf8(secret), [plainToken]).toString('hex');
  return json({ plainToken, encryptedToken });
}
