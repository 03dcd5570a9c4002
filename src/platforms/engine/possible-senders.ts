/*
 * Could this platform have sent it? Asked only of platforms for which the endpoint holds a secret, when the delivery itself leaves
 * the question open: a signature in the place and form the platform uses, or a registration request it is known to send.
 */

import type { DeliveryReader } from './delivery-reader.ts';
import type { Platform } from './model.ts';
import { signaturePresence } from './signature-values.ts';

export function possibleSenders(rows: readonly Platform[], reader: DeliveryReader): Platform[] {
  const shown = rows.filter(row => row.signatures.some(scheme => signaturePresence(scheme, reader) !== 'absent'));
  return shown.length > 0 ? shown : rows.filter(row => sendsRegistrationRequest(row.name, reader));
}

/** Registration requests that several platforms send alike. */
function sendsRegistrationRequest(platform: string, reader: DeliveryReader): boolean {
  const { method } = reader.delivery;
  if (method === 'GET') {
    const query = reader.query();
    if (platform === 'meta' || platform === 'strava')
      return query.has('hub.challenge') && query.has('hub.verify_token');
    if (platform === 'dropbox' || platform === 'nylas') return query.has('challenge');
    return platform === 'onfleet' && query.has('check');
  }
  return platform === 'asana' && method === 'POST' && reader.headers.has('x-hook-secret');
}
