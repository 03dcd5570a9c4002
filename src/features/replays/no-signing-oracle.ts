/*
 * No signing oracle: when the server may sign with a stored secret. A signature says "the platform sent this, to you", so a stored
 * secret signs only events that the platform sent, and only for destinations that the owner of the secret listed. All conditions are
 * here, and every way to sign with a stored secret checks them before anything is computed or sent. They do not apply to a secret that
 * comes with the request, because the caller has it already.
 */

import { type AllowEntry, canonicalHost, isUrlAllowed } from '../../core/network/allow-list.ts';
import { isLoopbackHost } from '../../core/network/hosts.ts';
import { hostOfUrl } from '../../shared/addresses.ts';

export type StoredSigner = {
  maySign: boolean;
  /** Origins, as browsers write them. */
  destinations: readonly string[];
  /** False if it came with a handshake and no person has confirmed it. */
  isConfirmed: boolean;
};

export type SigningIntent = {
  secret: StoredSigner;
  /** The request comes from a connected app or an agent. */
  isApp: boolean;
  /** The event's signature is valid with this secret. Another secret of the endpoint does not count. */
  isValid: boolean;
  /** The request changes body, headers or delivery id, even if the new value is the old one. */
  isEdited: boolean;
  /** The time to sign for, when the request names one; epoch ms. */
  at: number | undefined;
  now: number;
  /** The URL to send to, as given; undefined for a listener. */
  url: string | undefined;
  /** HOOKTAPE_REPLAY_ALLOW. */
  allow: readonly AllowEntry[];
};

/** The largest difference between a client's clock and ours. The signature contains our time. */
const clockDifferenceMs = 5000;

/** Why the secret may not sign; null if it may. The text is for the user. */
export function refusalToSign(intent: SigningIntent): string | null {
  const { secret, isApp, isValid, isEdited, at, now, url, allow } = intent;
  if (isApp) return 'connected apps never sign';
  if (!secret.maySign) return withAlternative('this secret may not sign: allow it in the settings of the endpoint');
  if (!secret.isConfirmed) return withAlternative('this secret is not confirmed');
  if (isEdited) return withAlternative('a stored secret signs only events that are not edited');
  if (at !== undefined && Math.abs(at - now) > clockDifferenceMs)
    return withAlternative('a stored secret signs only for the present time: leave out "at"');
  // Only the listener knows its destination, and anyone who may listen would get a signature.
  if (url === undefined)
    return 'a stored secret does not sign for listeners. You can send the secret with the request, or start the listener with --resign';
  if (!isDestinationOf(secret, url, allow))
    return withAlternative(
      'a stored secret signs only for loopback and allow-listed destinations and for those that are listed with it, written as they are listed',
    );
  if (!isValid) return withAlternative('a stored secret signs only events whose own signature is valid with it');
  return null;
}

const withAlternative = (reason: string): string => `${reason}. You can send the secret with the request instead`;

/**
 * The URL must begin with its origin exactly as browsers write it, so that no unusual spelling (user name, port, trailing dot)
 * can disguise the destination. Host names are compared as text and not resolved.
 */
function isDestinationOf({ destinations }: StoredSigner, given: string, allow: readonly AllowEntry[]): boolean {
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false;
  const rest = given.startsWith(url.origin) ? given.slice(url.origin.length) : undefined;
  if (rest === undefined || !/^(?:$|[/?#])/.test(rest)) return false;
  const host = hostOfUrl(url);
  if (host !== canonicalHost(host)) return false;
  // `*.localhost` may be any host where the resolver does not know the rule.
  const isLoopback = host === 'localhost' || (isLoopbackHost(host) && !host.endsWith('.localhost'));
  return isLoopback || destinations.includes(url.origin) || isUrlAllowed(allow, url);
}
