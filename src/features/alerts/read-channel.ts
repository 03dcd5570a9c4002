/* Reads where an alert's notifications go from a request. */

import { invalid } from '../../core/errors.ts';
import type { RandomBytes } from '../../core/ids/ids.ts';
import { readKeptDestination } from '../../core/network/destination.ts';
import { readEmail } from '../../core/text.ts';
import type { Channel } from './channels.ts';
import type { AlertChannel } from './model.ts';

const secretBytes = 32;
/** Standard Webhooks: 24 to 64 bytes in base64. */
const webhookSecret = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const ntfyToken = /^[\x21-\x7e]+$/;

/**
 * @param before the present channel. A channel of the same type keeps its secret if the request has none. A token of ntfy is not
 * kept for another server, because that server would receive it; an empty token removes it
 * @throws invalid
 */
export function readChannel(
  given: AlertChannel,
  { random, canMail, before }: { random: RandomBytes; canMail: boolean; before?: Channel },
): Channel {
  const { type, url, to } = given;
  const kept = before?.type === type ? before.secret : null;
  const secret = given.secret ?? kept;
  if (type === 'email') {
    if (!canMail) throw invalid('channel: email is not set up on this server: its operator sets HOOKTAPE_SMTP_URL');
    if (url != null || given.secret != null) throw invalid('channel: email takes only `to`');
    if (to == null) throw invalid('channel.to: required for email');
    return { type, url: null, to: readTo(to), secret: null };
  }
  if (to != null) throw invalid(`channel.to: ${type} takes only \`url\``);
  if (url == null) throw invalid(`channel.url: required for ${type}`);
  const destination = readUrl(url);
  if (type === 'ntfy') {
    const isElsewhere = before?.url != null && new URL(before.url).origin !== new URL(destination).origin;
    const secret = given.secret === '' ? null : (given.secret ?? (isElsewhere ? null : kept));
    if (secret !== null && !ntfyToken.test(secret)) throw invalid('channel.secret: must be an access token of ntfy');
    return { type, url: destination, to: null, secret };
  }
  if (type === 'webhook') {
    if (given.secret != null && !isWebhookSecret(given.secret))
      throw invalid('channel.secret: must be whsec_ and 24 to 64 bytes in base64; leave it out to get a new one');
    return { type, url: destination, to: null, secret: secret ?? newSecret(random) };
  }
  if (given.secret != null) throw invalid(`channel.secret: ${type} has none`);
  return { type, url: destination, to: null, secret: null };
}

const newSecret = (random: RandomBytes): string => `whsec_${Buffer.from(random(secretBytes)).toString('base64')}`;

function isWebhookSecret(secret: string): boolean {
  const { length } = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return webhookSecret.test(secret) && length >= 24 && length <= 64;
}

function readUrl(url: string): string {
  try {
    return readKeptDestination(url);
  } catch (error) {
    throw invalid(`channel.${error instanceof Error ? error.message : 'url'}`);
  }
}

function readTo(to: string): string {
  try {
    return readEmail(to);
  } catch {
    throw invalid('channel.to: must be an email address like name@example.com');
  }
}
