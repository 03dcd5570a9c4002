/* HOOKTAPE_OIDC_*: the OpenID Connect provider that people may sign in with. */
import { isLoopbackOrigin } from '../core/network/address-classes.ts';
import { isPlainText } from '../core/text.ts';
import type { Kind } from './kinds.ts';

export type OidcConfig = {
  /** As `new URL(…).href` writes it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Without it, this server is a public client. */
  readonly clientSecret?: string;
  /** How the dashboard calls the provider. */
  readonly name: string;
  /** Separated by single spaces. */
  readonly scopes: string;
  readonly groupsClaim: string;
  /** Without it, everybody may sign in who has an account. */
  readonly allowedGroups?: readonly string[];
  /** Without it, roles stay as they are. */
  readonly ownerGroups?: readonly string[];
  readonly createAccounts: boolean;
  /** The address of an account whose team new accounts join. */
  readonly teamOf?: string;
};

const maxNameCharacters = 60;

export const oidcIssuer: Kind<string> = text => {
  const url = URL.parse(text);
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#\\\s]/.test(text);
  if (!isPlain || url.pathname.includes('/.well-known/'))
    return { mustBe: 'the URL of the issuer, without a query and without /.well-known/openid-configuration' };
  return url.protocol === 'http:' && !isLoopbackOrigin(url.origin)
    ? { mustBe: 'an https URL; http only for a loopback address' }
    : { value: url.href };
};

const isPrintableAscii = (text: string): boolean => /^[\x20-\x7e]+$/.test(text);

export const oidcClientId: Kind<string> = text =>
  isPrintableAscii(text) ? { value: text } : { mustBe: 'printable ASCII characters' };

export const oidcName: Kind<string> = text => {
  const name = text.trim();
  return name !== '' && isPlainText(name) && [...name].length <= maxNameCharacters
    ? { value: name }
    : { mustBe: `one line of at most ${maxNameCharacters} characters` };
};

export const oidcScopes: Kind<string> = text => {
  const scopes = text.split(/[\s,]+/).filter(scope => scope !== '');
  // RFC 6749 section 3.3.
  return scopes.includes('openid') && scopes.every(scope => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
    ? { value: scopes.join(' ') }
    : { mustBe: 'scopes separated by spaces, with openid among them' };
};

/** An empty list is refused: it could be read as "everybody" or as "nobody". */
export const groupNames: Kind<readonly string[]> = text => {
  const names = text.split(',').map(name => name.trim());
  return names.every(name => name !== '')
    ? { value: names }
    : { mustBe: 'a comma-separated list of groups, without empty ones' };
};
