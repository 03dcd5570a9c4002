/* Registration checks that come as a GET with the question in the query. */
import { createHash } from 'node:crypto';
import type { HandshakeRequest } from './handshake.ts';
import { json, plainText } from './handshake-answers.ts';
import type { HandshakeAnswer } from './model.ts';
import { splitPair } from './secrets.ts';
import { digestOf, hmacOf, sameText } from './verifiers/check.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Short and without the characters of a JSON or form body: an HMAC of this is no signature of any delivery. */
const narrow = /^[\w-]{1,128}$/;
const modes = new Set(['subscribe', 'unsubscribe']);

export function answerQuery(asked: HandshakeRequest): HandshakeAnswer | null {
  const query = asked.reader.query();
  const read = (name: string): string | undefined => query.get(name) || undefined;

  const hubChallenge = read('hub.challenge');
  if (hubChallenge !== undefined) {
    if (!modes.has(read('hub.mode') ?? '')) return null;
    if (read('hub.topic') !== undefined) return plainText(hubChallenge);
    return answerVerifyToken(asked, hubChallenge, read('hub.verify_token'));
  }
  const crcToken = read('crc_token');
  if (crcToken !== undefined) return answerX(asked, crcToken);
  const challengeCode = read('challengecode');
  if (challengeCode !== undefined) return answerLinkedIn(asked, challengeCode);
  const ebayCode = read('challenge_code');
  if (ebayCode !== undefined) return answerEbay(asked, ebayCode);
  const braintree = read('bt_challenge');
  if (braintree !== undefined) return answerBraintree(asked, braintree);
  const challenge = read('challenge');
  if (challenge !== undefined) return plainText(challenge);
  // `check` is a common word: only when nothing else is asked.
  const check = query.size === 1 ? read('check') : undefined;
  return check === undefined ? null : plainText(check);
}

/** Meta and Strava ask alike and are told apart by whose registered token this is. */
function answerVerifyToken(
  asked: HandshakeRequest,
  challenge: string,
  token: string | undefined,
): HandshakeAnswer | null {
  if (token === undefined) return null;
  const meta = asked.secretsOf('meta');
  const strava = asked.secretsOf('strava');
  if (strava.some(secret => sameText(secret, token))) return json({ 'hub.challenge': challenge });
  if (meta.some(secret => sameText(secret, token))) return plainText(challenge);
  return meta.length + strava.length === 0
    ? null
    : { status: 403, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'verify token does not match' };
}

function answerX(asked: HandshakeRequest, token: string): HandshakeAnswer | null {
  const secret = asked.secretsOf('x').at(-1);
  if (secret === undefined || !narrow.test(token)) return null;
  return json({ response_token: `sha256=${hmacOf('sha256', utf8(secret), [token]).toString('base64')}` });
}

function answerLinkedIn(asked: HandshakeRequest, code: string): HandshakeAnswer | null {
  const secret = asked.secretsOf('linkedin').at(-1);
  if (secret === undefined || !uuid.test(code)) return null;
  return json({ challengeCode: code, challengeResponse: hmacOf('sha256', utf8(secret), [code]).toString('hex') });
}

/** The verification token is the text among eBay's secrets that could not be a key. */
function answerEbay(asked: HandshakeRequest, code: string): HandshakeAnswer | null {
  const token = asked.secretsOf('ebay').findLast(secret => /^[\w-]{32,80}$/.test(secret));
  const url = asked.urls[0]?.split('?')[0];
  if (token === undefined || url === undefined || !narrow.test(code)) return null;
  const digest = createHash('sha256').update(code).update(token).update(url).digest('hex');
  return json({ challengeResponse: digest });
}

function answerBraintree(asked: HandshakeRequest, challenge: string): HandshakeAnswer | null {
  const pair = splitPair(asked.secretsOf('braintree').at(-1) ?? '');
  if (pair === null || !/^[0-9a-f]{20,32}$/i.test(challenge)) return null;
  const key = digestOf('sha1', [utf8(pair.right)]);
  return plainText(`${pair.left}|${hmacOf('sha1', key, [challenge]).toString('hex')}`);
}

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');
