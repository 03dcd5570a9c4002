/*
 * Client metadata (RFC 7591): everything is validated, only what is needed is kept. The list of redirect URIs may contain
 * some that cannot be used here, because clients register the same list everywhere, but no dangerous schemes.
 */
import { firstCharacters } from '../../core/text.ts';
import { refuse } from './oauth-error.ts';
import { maxRedirectUriLength, redirectKind } from './redirect-uris.ts';

export type ClientMetadata = {
  name: string;
  redirectUris: string[];
  /** The first is the one in the registration response. `none`: a public client. */
  authMethods: string[];
  mayRefresh: boolean;
};

const maxRedirectUris = 10;
const linkMembers = ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri'];
const secretMethods = ['client_secret_basic', 'client_secret_post'];

type Members = ReadonlyMap<string, unknown>;

/** The members that are neither null nor empty. @throws OAuthError if it is not a JSON object */
export function readMembers(json: unknown): Members {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw refuse('invalid_client_metadata', 'the body must be a JSON object');
  return new Map(Object.entries(json).filter(([, value]) => value !== null && value !== ''));
}

/** A list of strings; undefined when absent. @throws OAuthError */
function readStrings(members: Members, name: string): string[] | undefined {
  const value = members.get(name);
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length > 20 || !value.every(item => typeof item === 'string'))
    throw refuse('invalid_client_metadata', `${name} must be a list of strings`);
  return value;
}

/** @throws OAuthError */
export function readRedirectUris(members: Members): string[] {
  const uris = members.get('redirect_uris');
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > maxRedirectUris)
    throw refuse('invalid_redirect_uri', `redirect_uris must be a list of 1 to ${maxRedirectUris} URIs`);
  if (!uris.every(uri => typeof uri === 'string' && uri.length <= maxRedirectUriLength))
    throw refuse(
      'invalid_redirect_uri',
      `a redirect URI must be a string of at most ${maxRedirectUriLength} characters`,
    );
  const kinds = (uris as string[]).map(redirectKind);
  if (kinds.includes('forbidden'))
    throw refuse('invalid_redirect_uri', 'a redirect URI has a scheme that is never allowed');
  if (kinds.every(kind => kind === 'unusable'))
    throw refuse('invalid_redirect_uri', 'no redirect URI can be used: use https, or http on a loopback address');
  return uris as string[];
}

function checkLinks(members: Members): void {
  for (const name of linkMembers) {
    const value = members.get(name);
    if (value === undefined) continue;
    const url = typeof value === 'string' && value.length <= maxRedirectUriLength ? URL.parse(value) : null;
    if (!url || !/^https?:$/.test(url.protocol))
      throw refuse('invalid_client_metadata', `${name} must be an http or https URL`);
  }
}

/** Whether the client uses refresh tokens. @throws OAuthError unless it uses the authorization code flow */
export function readMayRefresh(members: Members): boolean {
  const grants = readStrings(members, 'grant_types');
  if (grants && !grants.includes('authorization_code'))
    throw refuse('invalid_client_metadata', 'grant_types must include authorization_code');
  const responses = readStrings(members, 'response_types');
  if (responses && !responses.includes('code'))
    throw refuse('invalid_client_metadata', 'response_types must include code');
  return grants === undefined || grants.includes('refresh_token');
}

function readAuthMethods(members: Members): string[] {
  const method = members.get('token_endpoint_auth_method');
  // RFC 7591 defaults to client_secret_basic, but clients that rely on the default send the secret either way.
  if (method === undefined) return secretMethods;
  if (method === 'none' || (typeof method === 'string' && secretMethods.includes(method))) return [method];
  throw refuse('invalid_client_metadata', `token_endpoint_auth_method must be none, ${secretMethods.join(' or ')}`);
}

/** @param json the parsed body of a registration request @throws OAuthError */
export function readRegistration(json: unknown): ClientMetadata {
  const members = readMembers(json);
  const redirectUris = readRedirectUris(members);
  checkLinks(members);
  const name = members.get('client_name');
  if (name !== undefined && typeof name !== 'string')
    throw refuse('invalid_client_metadata', 'client_name must be a string');
  return {
    name: cleanClientName(name, 'Unnamed app'),
    redirectUris,
    authMethods: readAuthMethods(members),
    mayRefresh: readMayRefresh(members),
  };
}

const maxNameCharacters = 100;

/**
 * A name that a client gives itself, safe to store and to show: one line of at most 100 characters, without control, invisible or
 * text-direction characters.
 * @param fallback returned when nothing readable is left
 */
export function cleanClientName(name: unknown, fallback: string): string {
  if (typeof name !== 'string') return fallback;
  const text = name
    .slice(0, 2000)
    .replace(/[\p{Zl}\p{Zp}\p{Zs}\t\r\n]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .trim();
  return firstCharacters(text, maxNameCharacters).trim() || fallback;
}
