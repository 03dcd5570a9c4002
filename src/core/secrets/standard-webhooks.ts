/* Signatures with a secret that this server made, by Standard Webhooks (https://www.standardwebhooks.com). */
import { createHmac } from 'node:crypto';
import type { HeaderPair } from '../headers.ts';
import type { RandomBytes } from '../ids/ids.ts';

export const webhookFields: readonly string[] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const prefix = 'whsec_';
const secretBytes = 32;

export const newWebhookSecret = (random: RandomBytes): string =>
  `${prefix}${Buffer.from(random(secretBytes)).toString('base64')}`;

/** @param secrets one or more; the receiver accepts any of the signatures @param at epoch ms */
export function webhookHeaders(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: number; body: Uint8Array },
): HeaderPair[] {
  const timestamp = `${Math.floor(at / 1000)}`;
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return [
    ['webhook-id', id],
    ['webhook-timestamp', timestamp],
    ['webhook-signature', signatures.join(' ')],
  ];
}
