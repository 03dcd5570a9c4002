/* The parameters of `events/subscribe` and `events/unsubscribe`, which come from a program. */

import { createHash } from 'node:crypto';
import { invalidAt } from '../../core/errors.ts';

/** JSON whose object keys are sorted, without white space: equal values have equal texts (RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}

/** App, callback, event type and arguments, which never change. The same key again is a refresh, and the id follows from it. */
export type SubscriptionKey = {
  /** The connected app: its client and account, so that an app that is connected again has the same ids. */
  principal: readonly string[];
  url: string;
  name: string;
  /** Canonical JSON. */
  arguments: string;
};

export const subscriptionId = (key: SubscriptionKey): string =>
  `sub_${createHash('sha256').update(canonicalJson(key)).digest('hex').slice(0, 32)}`;

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
