import { parseNestedJson, valueAt } from '../engine/delivery-reader.ts';
import { json } from '../engine/handshake-answers.ts';
import { isSafeToSign } from '../engine/handshakes.ts';
import type { HandshakeReply, HandshakeRequest, Platform } from '../engine/platform.ts';
import { customScheme } from '../engine/schemes.ts';
import type { Outcome, SignatureCheck } from '../engine/signature-scheme.ts';
import { decodeBase64, isNonEmptyString } from '../engine/signature-values.ts';
import { digestOf, utf8 } from '../engine/verifiers/check.ts';
import { firstHeaderValue, isSignedByKey, outcomeOf } from '../engine/verifiers/public-key.ts';

export const ebay: Platform = {
  name: 'ebay',
  title: 'eBay',
  docsUrl: 'https://developer.ebay.com',
  detect: [
    { anyHeader: ['x-ebay-signature'], order: 26 },
    { methods: ['GET'], query: { challenge_code: /^[\w-]{16,128}$/ }, order: 45 },
  ],
  eventType: ['json:metadata.topic'],
  deliveryId: [
    {
      body: 'notification.notificationId',
      source: 'https://developer.ebay.com/api-docs/commerce/notification/overview.html',
    },
  ],
  preview: ['notification.data.username', 'notification.eventDate', 'notification.notificationId'],
  signatures: [customScheme('ebay', verifyNotification, { header: 'x-ebay-signature', keyFormat: 'public-key' })],
  secretHint:
    'For deliveries the public key named by kid in the signature; for the challenge the verification token you chose',
  takesVerifyToken: true,
  handshakes: [
    {
      description: '`GET ?challenge_code=`: Hooktape computes the reply with the saved verification token.',
      when: { method: 'GET', query: ['challenge_code'] },
      answer: answerChallenge,
    },
  ],
};

const maxHeaderBytes = 8192;

/** The header is base64 of JSON that contains the signature and the name of its hash. */
function verifyNotification(check: SignatureCheck): Outcome {
  const header = decodeBase64(firstHeaderValue(check));
  if (header === null || header.length > maxHeaderBytes) return 'malformed';
  const parsed = parseNestedJson(header.toString('utf8'));
  const encoded = valueAt(parsed, 'signature');
  const signature = isNonEmptyString(encoded) ? decodeBase64(encoded) : null;
  if (signature === null) return 'malformed';
  const hash = /^sha-?256$/i.test(String(valueAt(parsed, 'digest'))) ? 'sha256' : 'sha1';
  return outcomeOf(check, isSignedByKey(check, hash, check.reader.delivery.body, signature));
}

/** The verification token is the one secret that cannot be a key. */
function answerChallenge(request: HandshakeRequest): HandshakeReply | null {
  const code = request.query('challenge_code');
  const token = request.secrets.findLast(secret => /^[\w-]{32,80}$/.test(secret));
  const url = request.urls[0]?.split('?')[0];
  if (token === undefined || url === undefined || !isSafeToSign(code)) return null;
  return json({ challengeResponse: digestOf('sha256', [code, utf8(token), utf8(url)]).toString('hex') });
}
