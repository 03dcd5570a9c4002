/*
 * Could this platform have sent it? Asked only of platforms for which the endpoint holds a secret, when the delivery itself leaves
 * the question open: a signature in the place and form the platform uses, or a registration request it is known to send.
 */
import type { Platform } from './model.ts';
import type { Reading } from './reading.ts';
import { presence } from './signature.ts';

export function claimants(rows: readonly Platform[], reading: Reading): Platform[] {
  const shown = rows.filter(row => row.signatures.some(scheme => presence(scheme, reading) !== 'absent'));
  return shown.length > 0 ? shown : rows.filter(row => asks(row.name, reading));
}

/** Registration requests that several platforms send alike. */
function asks(platform: string, reading: Reading): boolean {
  const { method } = reading.delivery;
  if (method === 'GET') {
    const query = reading.query();
    if (platform === 'meta' || platform === 'strava')
      return query.has('hub.challenge') && query.has('hub.verify_token');
    if (platform === 'dropbox' || platform === 'nylas') return query.has('challenge');
    return platform === 'onfleet' && query.has('check');
  }
  return platform === 'asana' && method === 'POST' && reading.headers.has('x-hook-secret');
}
