/*
 * Redirect URIs. A requested URI must equal a registered one character by character. The one exception is the port of a
 * loopback http URI, which a native app chooses when it starts (RFC 8252 section 7.3). `localhost` does not match `127.0.0.1`.
 */

type RedirectKind =
  /** https, or http on a loopback address. */
  | 'usable'
  /** The scheme of a native app, with a dot (RFC 8252 section 7.1): may be registered, used only if the policy allows it. */
  | 'private_use'
  | 'unusable'
  /** A scheme that runs code or reads local files. Must not even be registered. */
  | 'forbidden';

export const maxRedirectUriLength = 2000;

const forbiddenSchemes = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:']);
const printable = /^[\x21-\x7e]+$/;
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?(?=[/?]|$)(.*)$/;

/** The host of a loopback http URI, and what follows the port. */
function loopbackParts(uri: string): { host: string; rest: string } | undefined {
  const [, host, port, rest = ''] = loopback.exec(uri) ?? [];
  if (host === undefined || Number(port ?? 80) > 65535) return undefined;
  return { host, rest: rest.startsWith('/') ? rest : `/${rest}` };
}

export const isLoopbackRedirect = (uri: string): boolean => loopbackParts(uri) !== undefined;

export function redirectKind(uri: string): RedirectKind {
  const url = URL.parse(uri);
  // The URL parser drops tabs and line breaks, so `java\nscript:` is caught as well.
  if (url && forbiddenSchemes.has(url.protocol)) return 'forbidden';
  if (!url || uri.length > maxRedirectUriLength || !printable.test(uri)) return 'unusable';
  if (uri.includes('#') || uri.includes('\\') || url.username !== '' || url.password !== '') return 'unusable';
  if (url.protocol === 'https:') return /^https:\/\/[^/]/i.test(uri) ? 'usable' : 'unusable';
  if (url.protocol === 'http:') return isLoopbackRedirect(uri) ? 'usable' : 'unusable';
  return url.protocol.includes('.') ? 'private_use' : 'unusable';
}

const matchesRegistered = (registered: string, requested: string): boolean => {
  if (registered === requested) return true;
  const expected = loopbackParts(registered);
  const given = loopbackParts(requested);
  return expected !== undefined && given?.host === expected.host && given.rest === expected.rest;
};

/**
 * The redirect URI to use; undefined when none may be used.
 * @param requested may be undefined when exactly one is registered
 */
export function resolveRedirect(
  registered: readonly string[],
  requested: string | undefined,
  allowPrivateUse: boolean,
): string | undefined {
  const only = registered.length === 1 ? registered[0] : undefined;
  const uri = requested ?? only;
  if (uri === undefined || !registered.some(candidate => matchesRegistered(candidate, uri))) return undefined;
  const kind = redirectKind(uri);
  return kind === 'usable' || (kind === 'private_use' && allowPrivateUse) ? uri : undefined;
}

/** The host as the consent page shows it, or the scheme of a native app. */
export function redirectHost(uri: string): string {
  const url = URL.parse(uri);
  return url?.host || (url?.protocol ?? 'unknown');
}

/** Appends the authorization response to the query of the URI. */
export function withResponseParameters(uri: string, response: Record<string, string | undefined>): string {
  const given = Object.entries(response).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  return `${uri}${separator}${new URLSearchParams(given)}`;
}
