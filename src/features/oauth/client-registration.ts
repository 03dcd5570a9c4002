/* Dynamic client registration (RFC 7591): open, with an initial access token, or switched off. */

import { hashOf, matchesHash } from '../../core/access/credential-hash.ts';
import type { Clock } from '../../core/clock.ts';
import { newId, newToken, type RandomBytes } from '../../core/ids/ids.ts';
import { readRegistration } from './client-metadata.ts';
import { toClientRow } from './clients.ts';
import type { ClientsStore } from './clients-store.ts';
import { OAuthError, type RateLimit, tooManyRequests } from './oauth-error.ts';

/** `token`: registration needs this initial access token. */
export type RegistrationPolicy = { mode: 'on' | 'off' } | { mode: 'token'; token: string };

const maxClients = 10_000;

export function createClientRegistration(options: {
  store: ClientsStore;
  clock: Clock;
  random: RandomBytes;
  policy: RegistrationPolicy;
  limitRegistrations: RateLimit;
}) {
  const { store, clock, random, policy, limitRegistrations } = options;
  return {
    isEnabled: policy.mode !== 'off',

    /**
     * @param clientAddress the registrations of an address are limited
     * @param initialAccessToken the bearer token of the request
     * @returns the body of the 201 response
     * @throws OAuthError
     */
    async register(
      json: unknown,
      clientAddress: string,
      initialAccessToken: string | undefined,
    ): Promise<Record<string, unknown>> {
      if (policy.mode === 'token' && !(initialAccessToken && matchesHash(hashOf(policy.token), initialAccessToken)))
        throw new OAuthError('invalid_token', 'registration needs an initial access token', {
          headers: { 'www-authenticate': 'Bearer realm="hooktape"' },
        });
      const waitSeconds = limitRegistrations(clientAddress);
      if (waitSeconds > 0) throw tooManyRequests('registrations', waitSeconds);
      const metadata = readRegistration(json);
      const now = clock.now();
      const secret = metadata.authMethods.includes('none') ? undefined : newToken(random);
      const row = {
        ...toClientRow(newId('dcr', now, random), 'dcr', metadata, now),
        secretHash: secret === undefined ? null : hashOf(secret),
      };
      if (!(await store.insertWithinLimit(maxClients, row)))
        throw new OAuthError('temporarily_unavailable', 'too many clients are registered, try again later', {
          headers: { 'retry-after': '3600' },
        });
      return {
        client_id: row.id,
        client_id_issued_at: Math.floor(row.createdAt / 1000),
        ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
        client_name: row.name,
        redirect_uris: row.redirectUris,
        grant_types: row.mayRefresh ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: metadata.authMethods[0],
        scope: 'webhooks',
      };
    },
  };
}
