/* The parameters of `events/subscribe` and `events/unsubscribe`, which come from a program. */
import { invalidAt } from '../../core/errors.ts';
import { canonicalJson } from './key.ts';

const minTtlMs = 2 * 60_000;
const maxTtlMs = 7 * 24 * 3_600_000;
const defaultTtlMs = 24 * 3_600_000;
const maxUrlCharacters = 8192;
const minSecretBytes = 24;
const maxSecretBytes = 64;

/** What names a subscription, besides the app. */
export type SubscriptionName = { name: string; given: Record<string, unknown>; arguments: string; url: string };
export type SubscribeParams = SubscriptionName & {
  secret: string;
  cursor: string | null;
  maxAgeMs: number | undefined;
  /** For how long it is granted; null: without an end. */
  ttlMs: number | null;
};

type Given = Record<string, unknown>;

const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws invalid */
export function readSubscriptionName(params: unknown): SubscriptionName {
  const { name, arguments: given = {}, delivery } = isObject(params) ? params : {};
  if (typeof name !== 'string') throw invalidAt(['name'], 'must be the name of an event type');
  if (!isObject(given)) throw invalidAt(['arguments'], 'must be an object');
  const { mode = 'webhook', url } = isObject(delivery) ? delivery : {};
  if (mode !== 'webhook') throw invalidAt(['delivery', 'mode'], 'must be "webhook"');
  if (typeof url !== 'string' || url === '' || url.length > maxUrlCharacters)
    throw invalidAt(['delivery', 'url'], `must be a URL of at most ${maxUrlCharacters} characters`);
  return { name, given, arguments: canonicalJson(given), url };
}

/** @throws invalid */
export function readSubscribe(params: unknown): SubscribeParams {
  const named = readSubscriptionName(params);
  const { delivery, cursor = null, maxAgeMs, ttlMs = defaultTtlMs } = params as Given;
  const { secret } = delivery as Given;
  if (typeof secret !== 'string' || !isSecret(secret))
    throw invalidAt(
      ['delivery', 'secret'],
      `must be whsec_ and the base64 of ${minSecretBytes} to ${maxSecretBytes} random bytes`,
    );
  if (cursor !== null && typeof cursor !== 'string') throw invalidAt(['cursor'], 'must be a text or null');
  if (maxAgeMs !== undefined && maxAgeMs !== null && !(typeof maxAgeMs === 'number' && maxAgeMs >= 0))
    throw invalidAt(['maxAgeMs'], 'must be a number of milliseconds');
  if (ttlMs !== null && typeof ttlMs !== 'number')
    throw invalidAt(['ttlMs'], 'must be a number of milliseconds or null');
  return {
    ...named,
    secret,
    cursor,
    maxAgeMs: typeof maxAgeMs === 'number' ? maxAgeMs : undefined,
    ttlMs: clamp(ttlMs),
  };
}

/** A wish for a lifetime is never refused. */
const clamp = (ttlMs: number | null): number | null =>
  ttlMs === null ? null : Math.floor(Math.min(Math.max(ttlMs, minTtlMs), maxTtlMs));

function isSecret(secret: string): boolean {
  const [, text] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  if (text === undefined) return false;
  const bytes = Buffer.from(text, 'base64');
  const isBase64 = bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  return isBase64 && bytes.length >= minSecretBytes && bytes.length <= maxSecretBytes;
}
