/*
 * Where an answer may be sent. A redirect URI matches one that was registered character by character; the one exception is
 * the port of a loopback http URI, which a native app chooses when it starts (RFC 8252 section 7.3). Names are never taken
 * for one another: `localhost` is not `127.0.0.1`.
 */

export type RedirectKind =
  /** https anywhere, or http on this very machine. */
  | 'usable'
  /** A scheme with a dot (RFC 8252 section 7.1): registered, used only where the operator allows it. */
  | 'private_use'
  | 'unusable'
  /** A scheme that a browser would run or read from disk: no honest client has one in its list. */
  | 'script';

export const maxRedirectUriLength = 2000;

const scriptSchemes = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:']);
const printable = /^[\x21-\x7e]+$/;
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?(?=[/?]|$)(.*)$/;

/** Host and what follows the port of a loopback http URI, as written. */
function loopbackParts(uri: string): { host: string; rest: string } | undefined {
  const [, host, port, rest = ''] = loopback.exec(uri) ?? [];
  if (host === undefined || Number(port ?? 80) > 65535) return undefined;
  return { host, rest: rest.startsWith('/') ? rest : `/${rest}` };
}

export const isLoopbackRedirect = (uri: string): boolean => loopbackParts(uri) !== undefined;

export function redirectKind(uri: string): RedirectKind {
  const url = URL.parse(uri);
  // The parser drops tabs, line ends and spaces: `java\nscript:` is a script, too.
  if (url && scriptSchemes.has(url.protocol)) return 'script';
  if (!url || uri.length > maxRedirectUriLength || !printable.test(uri)) return 'unusable';
  if (uri.includes('#') || uri.includes('\\') || url.username !== '' || url.password !== '') return 'unusable';
  if (url.protocol === 'https:') return /^https:\/\/[^/]/i.test(uri) ? 'usable' : 'unusable';
  if (url.protocol === 'http:') return isLoopbackRedirect(uri) ? 'usable' : 'unusable';
  return url.protocol.includes('.') ? 'private_use' : 'unusable';
}

export const isSameRedirect = (registered: string, asked: string): boolean => {
  if (registered === asked) return true;
  const one = loopbackParts(registered);
  const other = loopbackParts(asked);
  return one !== undefined && other !== undefined && one.host === other.host && one.rest === other.rest;
};

/**
 * The URI to answer to, or undefined when there is none that may be used.
 * @param asked undefined when the request named none: then exactly one must be registered
 */
export function resolveRedirect(
  registered: readonly string[],
  asked: string | undefined,
  allowPrivateUse: boolean,
): string | undefined {
  const only = registered.length === 1 ? registered[0] : undefined;
  const uri = asked ?? only;
  if (uri === undefined || !registered.some(known => isSameRedirect(known, uri))) return undefined;
  const kind = redirectKind(uri);
  return kind === 'usable' || (kind === 'private_use' && allowPrivateUse) ? uri : undefined;
}

/** What a person is shown of it. */
export function redirectHost(uri: string): string {
  const url = URL.parse(uri);
  return url?.host || (url?.protocol ?? 'unknown');
}

/** The answer as query parameters behind those that the URI has already. */
export function withResponseParameters(uri: string, answer: Record<string, string | undefined>): string {
  const given = Object.entries(answer).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  return `${uri}${separator}${new URLSearchParams(given)}`;
}
