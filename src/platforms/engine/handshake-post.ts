/* Registration checks that come as a POST: in a header, in the query or in a small JSON body; and the two services that want a certain answer to every delivery. */
import { asBuffer } from '../../core/buffer.ts';
import { valueAt } from './delivery-reader.ts';
import type { HandshakeInput, HandshakeRequest } from './handshake.ts';
import { empty, headerEcho, json, plainText } from './handshake-answers.ts';
import type { HandshakeAnswer } from './model.ts';
import { isNonEmptyString } from './signature-values.ts';
import { hmacOf } from './verifiers/check.ts';
import { verify } from './verify.ts';

const longestBody = 8192;
const headers = new Set([
  'x-hook-secret',
  'smartsheet-hook-challenge',
  'aeg-event-type',
  'twitch-eventsub-message-type',
]);
/** Most names are told apart by their length alone. */
const headerLengths = new Set([...headers].map(name => name.length));
const platforms = new Set(['discord', 'xero', 'zoom', 'dropbox-sign', 'salesforce']);
const words = ['"challenge"', '"verification_token"'].map(word => Buffer.from(word));
/** Notion's tokens and Asana's secrets are such; a stranger's long text is not stored as a secret. */
const learnable = /^[\w-]{8,256}$/;

const acknowledged =
  '<?xml version="1.0" encoding="UTF-8"?>' +
  '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>' +
  '<notificationsResponse xmlns="http://soap.sforce.com/2005/09/outbound"><Ack>true</Ack></notificationsResponse>' +
  '</soapenv:Body></soapenv:Envelope>';

/** The cheap question that nearly every delivery fails. */
export function isWorthReading({ delivery, detection }: HandshakeInput): boolean {
  if (detection.platform !== null && platforms.has(detection.platform)) return true;
  if (delivery.query !== null && /(^|&)validationtoken=/i.test(delivery.query)) return true;
  for (const [name] of delivery.rawHeaders)
    if (headerLengths.has(name.length) && headers.has(name.toLowerCase())) return true;
  if (delivery.body.length === 0 || delivery.body.length > longestBody) return false;
  const body = asBuffer(delivery.body);
  return words.some(word => body.includes(word));
}

export function answerPost(asked: HandshakeRequest): HandshakeAnswer | null {
  const { reader, detection } = asked;
  const hookSecret = reader.header('x-hook-secret');
  if (hookSecret !== undefined) return answerHookSecret(asked, hookSecret);
  const smartsheet = reader.header('smartsheet-hook-challenge');
  if (smartsheet !== undefined) {
    const answer = json({ smartsheetHookResponse: smartsheet });
    return answer === null ? null : headerEcho('smartsheet-hook-response', smartsheet, answer);
  }
  const validationToken = reader.query().get('validationtoken');
  if (validationToken !== undefined) return plainText(validationToken);
  if (reader.header('aeg-event-type')?.toLowerCase() === 'subscriptionvalidation') {
    const code = valueAt(reader.json(), '0.data.validationCode');
    return isNonEmptyString(code) ? json({ validationResponse: code }) : null;
  }
  if (reader.header('twitch-eventsub-message-type') === 'webhook_callback_verification') {
    const challenge = valueAt(reader.json(), 'challenge');
    return isNonEmptyString(challenge) ? plainText(challenge) : null;
  }
  switch (detection.platform) {
    case 'discord':
      return answerDiscord(asked);
    case 'xero':
      return answerXero(asked);
    case 'zoom':
      return answerZoom(asked);
    case 'dropbox-sign':
      return plainText('Hello API Event Received');
    case 'salesforce':
      return { status: 200, headers: { 'content-type': 'text/xml; charset=utf-8' }, body: acknowledged };
    default:
      return answerJson(asked);
  }
}

/** Asana, Keap and others: the same echo. Only Asana signs with the value afterwards. */
function answerHookSecret(asked: HandshakeRequest, secret: string): HandshakeAnswer | null {
  const answer = headerEcho('x-hook-secret', secret, empty(200));
  return answer && withLearned(answer, asked, 'asana', secret);
}

/** Slack, monday.com, Feishu and Lark: the challenge back; Notion: a token to keep. */
function answerJson(asked: HandshakeRequest): HandshakeAnswer | null {
  if (asked.delivery.body.length > longestBody) return null;
  const body = asked.reader.json();
  if (typeof body !== 'object' || body === null) return null;
  const alone = Object.keys(body).length === 1;
  const challenge = valueAt(body, 'challenge');
  if (
    isNonEmptyString(challenge) &&
    challenge.length <= 4096 &&
    (alone || valueAt(body, 'type') === 'url_verification')
  ) {
    return json({ challenge });
  }
  const token = valueAt(body, 'verification_token');
  // Learned or not, the answer is the same: it tells a stranger nothing about the endpoint's secrets.
  if (!alone || !isNonEmptyString(token) || !learnable.test(token)) return null;
  const answer = json({ ok: true });
  return answer && withLearned(answer, asked, 'notion', token);
}

/** Marks the secret as one to register, unless a confirmed one is the same. */
function withLearned(
  answer: HandshakeAnswer,
  asked: HandshakeRequest,
  platform: string,
  secret: string,
): HandshakeAnswer {
  if (!learnable.test(secret) || asked.secretsOf(platform).includes(secret)) return answer;
  return { ...answer, learnedSecret: { platform, secret } };
}

/** Type 1 means PING for interactions but EVENT for webhook events, whose ping is type 0. */
function answerDiscord(asked: HandshakeRequest): HandshakeAnswer | null {
  if (asked.delivery.body.length > longestBody || asked.secretsOf('discord').length === 0) return null;
  const body = asked.reader.json();
  const type = valueAt(body, 'type');
  if (type !== 0 && (type !== 1 || valueAt(body, 'event') !== undefined)) return null;
  // Discord sends a wrong signature on purpose when the URL is saved.
  if (signedBy(asked, 'discord') === null) return empty(401);
  return type === 0 ? empty(204) : json({ type: 1 });
}

function answerXero(asked: HandshakeRequest): HandshakeAnswer | null {
  if (asked.delivery.body.length > longestBody || asked.secretsOf('xero').length === 0) return null;
  const events = valueAt(asked.reader.json(), 'events');
  if (!Array.isArray(events) || events.length > 0) return null;
  return empty(signedBy(asked, 'xero') === null ? 401 : 200);
}

/** Only a request that Zoom itself signed is answered, else anyone could have tokens signed. */
function answerZoom(asked: HandshakeRequest): HandshakeAnswer | null {
  if (asked.delivery.body.length > longestBody) return null;
  const body = asked.reader.json();
  const plainToken = valueAt(body, 'payload.plainToken');
  if (
    valueAt(body, 'event') !== 'endpoint.url_validation' ||
    !isNonEmptyString(plainToken) ||
    !/^[\w+/=-]{1,128}$/.test(plainToken)
  ) {
    return null;
  }
  const secret = signedBy(asked, 'zoom');
  if (secret === null) return null;
  const encryptedToken = hmacOf('sha256', Buffer.from(secret, 'utf8'), [plainToken]).toString('hex');
  return json({ plainToken, encryptedToken });
}

/** The registered secret with which the platform signed this delivery. */
function signedBy({ delivery, receivedAt, urls, secretsOf }: HandshakeRequest, platform: string): string | null {
  for (const secret of secretsOf(platform)) {
    const verdict = verify({ delivery, platform, secrets: [{ platform, secret }], receivedAt, urls });
    if (verdict?.verdict === 'valid') return secret;
  }
  return null;
}
