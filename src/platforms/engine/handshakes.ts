/* Handshakes that several platforms share. A handshake of a single platform is in that platform's file. */
import { valueAt } from './delivery-reader.ts';
import { empty, headerValueOrAny, json, plainText, withHeader } from './handshake-answers.ts';
import type { Handshake, HandshakeReply, HandshakeRequest } from './platform.ts';
import { isNonEmptyString } from './signature-values.ts';
import { sameText } from './verifiers/check.ts';

const maxChallengeLength = 4096;
const hubModes = new Set(['subscribe', 'unsubscribe']);

/** `GET ?challenge=`, answered with the challenge as plain text. */
export const echoQueryParameter = (name: string): Handshake => ({
  description: `\`GET ?${name}=\`: Hooktape returns the value.`,
  when: { method: 'GET', query: [name] },
  shared: true,
  answer: request => {
    const value = request.query(name);
    return value === undefined ? null : plainText(value);
  },
});

/** Returns the header `X-Hook-Secret`. */
export const echoHookSecret = (options: Partial<Omit<Handshake, 'answer'>> = {}): Handshake => ({
  description: '`X-Hook-Secret`: Hooktape returns the header.',
  when: { method: 'POST', header: 'x-hook-secret' },
  answer: ({ reader }) => {
    const secret = reader.header('x-hook-secret') ?? '';
    const answer = withHeader('x-hook-secret', secret, empty(200));
    return answer && { ...answer, deliveredSecret: secret };
  },
  ...options,
});

/** JSON with only `challenge`, or with the type `url_verification`: returns the challenge as JSON. */
export const echoJsonChallenge: Handshake = {
  description: 'JSON `challenge`, alone or with the type `url_verification`: Hooktape returns the challenge.',
  when: { method: 'POST', jsonKey: 'challenge' },
  answer: request => {
    const body = request.json();
    const challenge = valueAt(body, 'challenge');
    if (!isNonEmptyString(challenge) || challenge.length > maxChallengeLength) return null;
    return hasOneKey(body) || valueAt(body, 'type') === 'url_verification' ? json({ challenge }) : null;
  },
};

/** WebSub: a hub asks whether the subscription to a topic is wanted. */
export const confirmSubscription: Handshake = {
  description: '`GET ?hub.challenge=` with `hub.topic`: Hooktape returns the challenge.',
  when: { method: 'GET', query: ['hub.challenge', 'hub.topic'] },
  answer: request => (request.query('hub.topic') === undefined ? null : plainText(hubChallenge(request) ?? '')),
};

/** `hub.verify_token` in the query is compared with the registered secrets. */
export const checkVerifyToken = (
  description: string,
  accept: (challenge: string) => HandshakeReply | null,
): Handshake => ({
  description,
  when: { method: 'GET', query: ['hub.challenge', 'hub.verify_token'] },
  shared: true,
  answer: request => {
    const challenge = hubChallenge(request);
    const token = request.query('hub.verify_token');
    if (challenge === undefined || token === undefined || request.query('hub.topic') !== undefined) return null;
    if (request.secrets.some(secret => sameText(secret, token))) return accept(challenge);
    return request.secrets.length === 0 ? null : verifyTokenMismatch;
  },
});

const verifyTokenMismatch: HandshakeReply = {
  status: 403,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'verify token does not match',
};

/** The sender asks whether it may deliver, before the first event (CloudEvents "HTTP 1.1 Web Hooks", section 4). */
export const allowOrigin: Handshake = {
  description: '`OPTIONS` with `WebHook-Request-Origin`: Hooktape allows the origin.',
  when: { method: 'OPTIONS', header: 'webhook-request-origin' },
  answer: ({ reader }) => {
    const origin = reader.header('webhook-request-origin');
    if (origin === undefined || origin === '') return null;
    return {
      status: 200,
      headers: {
        'webhook-allowed-origin': headerValueOrAny(origin),
        'webhook-allowed-rate': headerValueOrAny(reader.header('webhook-request-rate')),
        allow: 'POST',
      },
      body: '',
    };
  },
};

/** Gives every delivery of the platform the same answer. */
export const answerEveryDelivery = (description: string, reply: HandshakeReply | null): Handshake => ({
  description,
  when: { method: 'POST', detected: true },
  answer: () => reply,
});

/** Whether its HMAC cannot be a delivery's signature: it is short, without the characters of a JSON or form body. */
export const isSafeToSign = (text: string | undefined): text is string =>
  text !== undefined && /^[\w-]{1,128}$/.test(text);

export const hasOneKey = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Object.keys(body).length === 1;

const hubChallenge = (request: HandshakeRequest): string | undefined =>
  hubModes.has(request.query('hub.mode') ?? '') ? request.query('hub.challenge') : undefined;
