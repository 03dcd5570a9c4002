/*
 * Client authentication at the token and revocation endpoints (RFC 6749 section 2.3). A request uses exactly one method, and
 * a public client must not send a secret. The registered method applies to the token endpoint (RFC 7591 section 2:
 * `token_endpoint_auth_method`). None is registered for the revocation endpoint, so a confidential client may use either there.
 */

import { matchesHash } from '../../core/access/credential-hash.ts';
import type { ClientRow } from './clients-store.ts';
import { OAuthError, refuse } from './oauth-error.ts';
import type { RequestParameters } from './request-parameters.ts';

export const authMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** `registered`: only the methods that the client registered. `any`: also the other way to send its secret. */
export type AcceptedMethods = 'registered' | 'any';

const secretMethods: readonly string[] = ['client_secret_basic', 'client_secret_post'];

type Credentials = { method: (typeof authMethods)[number]; id: string; secret: string | undefined };

const invalidClient = (usedBasic: boolean): OAuthError =>
  new OAuthError('invalid_client', 'client authentication failed', {
    headers: usedBasic ? { 'www-authenticate': 'Basic realm="hooktape", charset="UTF-8"' } : {},
  });

/** Id and secret are form-encoded, then base64-encoded (RFC 6749 section 2.3.1). @throws OAuthError */
function readBasic(header: string): { id: string; secret: string } {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header) ?? [];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('latin1');
  const colon = text.indexOf(':');
  if (colon < 1) throw invalidClient(true);
  try {
    const decode = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));
    return { id: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) };
  } catch {
    throw invalidClient(true);
  }
}

function readCredentials(authorization: string | null, form: RequestParameters): Credentials {
  const id = form.get('client_id');
  const secret = form.get('client_secret');
  if (form.get('client_assertion') !== undefined || form.get('client_assertion_type') !== undefined)
    throw invalidClient(false);
  if (authorization === null) {
    if (id === undefined) throw invalidClient(false);
    return { method: secret === undefined ? 'none' : 'client_secret_post', id, secret };
  }
  if (secret !== undefined) throw refuse('invalid_request', 'use only one client authentication method');
  const basic = readBasic(authorization);
  if (id !== undefined && id !== basic.id)
    throw refuse('invalid_request', 'client_id differs from the authenticated client');
  return { method: 'client_secret_basic', ...basic };
}

function acceptedMethods({ authMethods: registered }: ClientRow, accepted: AcceptedMethods): readonly string[] {
  const methods = registered.split(' ');
  return accepted === 'any' && methods.some(method => secretMethods.includes(method)) ? secretMethods : methods;
}

/** @throws OAuthError invalid_client, or invalid_request when the request has two client ids or uses two methods */
export async function authenticateClient(
  authorization: string | null,
  form: RequestParameters,
  find: (id: string) => Promise<ClientRow | undefined>,
  accepted: AcceptedMethods = 'registered',
): Promise<ClientRow> {
  const { method, id, secret } = readCredentials(authorization, form);
  const client = await find(id);
  const isAuthenticated =
    client &&
    acceptedMethods(client, accepted).includes(method) &&
    (method === 'none' ||
      (client.secretHash !== null && secret !== undefined && matchesHash(client.secretHash, secret)));
  if (!isAuthenticated) throw invalidClient(method === 'client_secret_basic');
  return client;
}
