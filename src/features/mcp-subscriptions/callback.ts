/*
 * Sends to the callback of a subscription. Each request asks the guard again, is signed with the secrets that are valid now, and
 * follows no redirect. The callback's URL and answers are shown to no one: what a client learns is one of a few categories.
 */
import { timingSafeEqual } from 'node:crypto';
import { inField, invalidAt } from '../../core/errors.ts';
import type { RandomBytes } from '../../core/ids/ids.ts';
import { isSuccess, readKeptDestination } from '../../core/network/destination.ts';
import type { Outbound } from '../../net/outbound.ts';
import { sign } from '../../platforms/platforms.ts';

/** `lastError` of a delivery status, and the reason of a CallbackEndpointError. */
export type FailureCategory =
  | 'connection_refused'
  | 'timeout'
  | 'tls_error'
  | 'http_4xx'
  | 'http_5xx'
  | 'challenge_failed';

/** `previous`: the secret before, which also signs until `until` (epoch ms). */
export type CallbackTarget = { url: string; secret: string; previous?: { secret: string; until: number } };

export type CallbackMessage = { subscriptionId: string; webhookId: string; body: string };
/** `error`: null if it was accepted. `isAborted`: the request was cancelled before there was an answer. */
export type CallbackResult = { status: number | null; error: FailureCategory | null; text: string; isAborted: boolean };

export type Callback = ReturnType<typeof createCallback>;

const attemptMs = 10_000;
const previewBytes = 65_536;
const place = ['delivery', 'url'];

export function createCallback(options: {
  outbound: Outbound;
  /** Whether the URL is an ingest URL of this server. */
  isOwnIngest: (url: string) => Promise<boolean>;
  /** Whether the server itself is reached on this machine only. */
  isLocal: boolean;
  now: () => number;
  random: RandomBytes;
}) {
  const { outbound, isOwnIngest, isLocal, now, random } = options;

  const isAllowedScheme = ({ protocol, hostname }: URL): boolean =>
    protocol === 'https:' || (isLocal && protocol === 'http:' && ['127.0.0.1', '[::1]'].includes(hostname));

  const signatures = (target: CallbackTarget, { webhookId, body }: CallbackMessage): [string, string][] => {
    const at = now();
    const { url, secret, previous } = target;
    // The clock may have gone back: the old secret then signs no longer than before.
    const secrets = previous && at < previous.until ? [secret, previous.secret] : [secret];
    const signed = secrets.map(one =>
      sign({
        platform: 'standard-webhooks',
        scheme: 'standard-webhooks',
        secret: one,
        method: 'POST',
        url,
        headers: [['webhook-id', webhookId]],
        body: Buffer.from(body),
        at,
      }),
    );
    const headers = signed.flatMap(one => ('cannotSign' in one ? [] : one.headers));
    const values = (name: string): string[] =>
      headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
    return [
      ['webhook-id', webhookId],
      ['webhook-timestamp', values('webhook-timestamp')[0] ?? ''],
      ['webhook-signature', values('webhook-signature').join(' ')],
    ];
  };

  const post = async (
    target: CallbackTarget,
    message: CallbackMessage,
    signal?: AbortSignal,
  ): Promise<CallbackResult> => {
    const url = URL.parse(target.url);
    const failed = { status: null, text: '', isAborted: false };
    if (!url || !isAllowedScheme(url) || (await isOwnIngest(target.url)))
      return { ...failed, error: 'connection_refused' };
    const result = await outbound.send({
      url: target.url,
      method: 'POST',
      headers: [
        ['Content-Type', 'application/json'],
        ['User-Agent', 'Hooktape'],
        ...signatures(target, message),
        ['X-MCP-Subscription-Id', message.subscriptionId],
      ],
      body: Buffer.from(message.body),
      timeoutMs: attemptMs,
      previewBytes,
      ...(signal && { signal }),
    });
    if (result.kind === 'answered') {
      const { status, preview } = result;
      return { ...failed, status, error: categoryOf(status), text: Buffer.from(preview).toString() };
    }
    if (result.kind === 'refused') return { ...failed, error: 'connection_refused' };
    const error = ({ deadline: 'timeout', tls: 'tls_error', none: 'connection_refused' } as const)[result.by ?? 'none'];
    return { ...failed, error, isAborted: signal?.aborted ?? false };
  };

  return {
    post,

    /** @throws invalid for a URL to which nothing may be sent */
    async check(given: string): Promise<void> {
      const url = new URL(inField(place, () => readKeptDestination(given)));
      if (!isAllowedScheme(url)) throw invalidAt(place, 'must be an https URL');
      if (await isOwnIngest(given)) throw invalidAt(place, 'must not be an ingest URL of this server');
      const refusal = await outbound.refusal(given);
      if (refusal !== undefined) throw invalidAt(place, refusal);
    },

    /** Asks whether the callback wants events. @returns why it does not; null if it does */
    async challenge(target: CallbackTarget, subscriptionId: string): Promise<FailureCategory | null> {
      const challenge = Buffer.from(random(32)).toString('base64url');
      const body = JSON.stringify({ type: 'verification', challenge });
      const webhookId = newMessageId('verification', random);
      const { status, error, text } = await post(target, { subscriptionId, webhookId, body });
      if (status === null) return error;
      return error === null && isSameText(challengeIn(text), challenge) ? null : 'challenge_failed';
    },
  };
}

export const newMessageId = (type: string, random: RandomBytes): string =>
  `msg_${type}_${Buffer.from(random(16)).toString('hex')}`;

const categoryOf = (status: number): FailureCategory | null => {
  if (isSuccess(status)) return null;
  return status >= 500 ? 'http_5xx' : 'http_4xx';
};

function challengeIn(text: string): string {
  try {
    const { challenge } = JSON.parse(text) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
