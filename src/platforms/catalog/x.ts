import { json } from '../engine/handshake-answers.ts';
import { isSafeToSign } from '../engine/handshakes.ts';
import type { HandshakeReply, HandshakeRequest, Platform } from '../engine/platform.ts';
import { jsonKey } from '../engine/readers.ts';
import { hmac } from '../engine/schemes.ts';
import { hmacOf, utf8 } from '../engine/verifiers/check.ts';

export const x: Platform = {
  name: 'x',
  aliases: ['twitter'],
  title: 'X',
  docsUrl: 'https://docs.x.com',
  detect: [
    { anyHeader: ['x-twitter-webhooks-signature'], order: 20 },
    { methods: ['GET'], query: { crc_token: true }, order: 45 },
  ],
  eventType: [jsonKey('key that ends in `_events`', key => key.endsWith('_events'))],
  preview: [
    [
      'tweet_create_events.0.user.screen_name',
      'follow_events.0.source.screen_name',
      'favorite_events.0.user.screen_name',
    ],
    ['tweet_create_events.0.text', 'direct_message_events.0.message_create.message_data.text'],
    'for_user_id',
  ],
  signatures: [hmac('x-twitter-webhooks-signature', { prefix: 'sha256=', encoding: 'base64' })],
  secretHint: 'Developer portal > the app > Keys and tokens > API key secret (consumer secret)',
  handshakes: [
    {
      description: '`GET ?crc_token=`: Hooktape computes the reply with the saved consumer secret.',
      when: { method: 'GET', query: ['crc_token'] },
      answer: answerChallenge,
    },
  ],
};

function answerChallenge(request: HandshakeRequest): HandshakeReply | null {
  const challenge = request.query('crc_token');
  const secret = request.secrets.at(-1);
  if (secret === undefined || !isSafeToSign(challenge)) return null;
  return json({ response_token: `sha256=${hmacOf('sha256', utf8(secret), [challenge]).toString('base64')}` });
}
