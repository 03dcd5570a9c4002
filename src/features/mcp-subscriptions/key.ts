/*
 * The key of a subscription: app, callback, event type and arguments. All four never change. The same key again is a refresh, and
 * the id follows from it, so that it stays the same over restarts.
 */
import { createHash } from 'node:crypto';

/** JSON whose object keys are sorted, without white space: equal values have equal texts (RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}

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
