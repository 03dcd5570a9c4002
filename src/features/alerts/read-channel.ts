/* Reads where an alert's notifications go from a request. */

import { inField, invalidAt } from '../../core/errors.ts';
import type { RandomBytes } from '../../core/ids/ids.ts';
import { readKeptDestination } from '../../core/network/destination.ts';
import { newWebhookSecret } from '../../core/secrets/standard-webhooks.ts';
import { readEmail } from '../../core/text.ts';
import { channelSettings } from '../../shared/alerts.ts';
import type { Channel } from './channels.ts';
import type { AlertChannel } from './model.ts';

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
  const { type } = given;
  const { target, secret: kind } = channelSettings[type];
  const at = (field: 'url' | 'to' | 'secret') => ['channel', field];
  if (type === 'email' && !canMail)
    throw invalidAt(['channel', 'type'], 'email is not set up on this server: its operator sets HOOKTAPE_SMTP_URL');
  const other = target === 'url' ? 'to' : 'url';
  if (given[other] != null) throw invalidAt(at(other), `${type} takes only \`${target}\``);
  if (given.secret != null && kind === undefined) throw invalidAt(at('secret'), `${type} has none`);
  const text = given[target];
  if (text == null) throw invalidAt(at(target), `required for ${type}`);
  if (target === 'to') return { type, url: null, to: inField(at('to'), () => readEmail(text)), secret: null };
  const url = inField(at('url'), () => readKeptDestination(text));
  const kept = before?.type === type ? before.secret : null;
  switch (kind) {
    case 'token':
      return { type, url, to: null, secret: readToken(given.secret, isSameServer(before?.url, url) ? kept : null) };
    case 'signing':
      return { type, url, to: null, secret: readSigningSecret(given.secret) ?? kept ?? newWebhookSecret(random) };
    case undefined:
      return { type, url, to: null, secret: null };
  }
}

/** Without a channel before, nothing is kept anyway. */
const isSameServer = (before: string | null | undefined, url: string): boolean =>
  before == null || new URL(before).origin === new URL(url).origin;

/** An empty token removes the kept one. */
function readToken(given: string | null | undefined, kept: string | null): string | null {
  const token = given === '' ? null : (given ?? kept);
  if (token !== null && !ntfyToken.test(token))
    throw invalidAt(['channel', 'secret'], 'must be an access token of ntfy');
  return token;
}

function readSigningSecret(given: string | null | undefined): string | null {
  if (given == null || isWebhookSecret(given)) return given ?? null;
  throw invalidAt(['channel', 'secret'], 'must be whsec_ and 24 to 64 bytes in base64; leave it out to get a new one');
}

function isWebhookSecret(secret: string): boolean {
  const { length } = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return webhookSecret.test(secret) && length >= 24 && length <= 64;
}
