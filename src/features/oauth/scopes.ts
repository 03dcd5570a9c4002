/*
 * Scopes and resource indicators. There is one scope, and one resource server with three equivalent identifiers. Unknown
 * scopes are ignored; unknown resources are refused (RFC 8707).
 */
import { refuse } from './oauth-error.ts';

export const webhooksScope = 'webhooks';
/**
 * Grants nothing. It is granted when requested, because clients compare the scope of the response with their request
 * (RFC 6749 section 5.1), and some refuse a response without it.
 */
export const offlineScope = 'offline_access';

const scopeSyntax = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const maxScopeLength = 1000;

const splitScope = (text = ''): string[] => text.split(' ').filter(scope => scope !== '');

/** The scope that a grant gets. @throws OAuthError invalid_scope when the parameter is malformed */
export function effectiveScope(requested: string | undefined): string {
  if (requested !== undefined && (requested.length > maxScopeLength || !scopeSyntax.test(requested.trim())))
    throw refuse('invalid_scope', 'scope is malformed');
  return splitScope(requested).includes(offlineScope) ? `${webhooksScope} ${offlineScope}` : webhooksScope;
}

/**
 * The scope of a refreshed token: what was granted, or the requested part of it. `offline_access` may always be requested,
 * because grants of older versions lack it.
 * @throws OAuthError invalid_scope
 */
export function narrowedScope(granted: string, requested: string | undefined): string {
  const wanted = splitScope(requested);
  if (wanted.length === 0) return granted;
  const allowed = new Set([...splitScope(granted), offlineScope]);
  if (wanted.some(scope => !allowed.has(scope))) throw refuse('invalid_scope', 'scope exceeds what was granted');
  // A token with offline_access alone could not be used for anything.
  const isOfflineOnly = wanted.every(scope => scope === offlineScope);
  return [...new Set(isOfflineOnly ? [...splitScope(granted), ...wanted] : wanted)].join(' ');
}

export const hasWebhooksScope = (scope: string): boolean => splitScope(scope).includes(webhooksScope);

export type Resources = ReturnType<typeof createResources>;

export function createResources(baseUrl: string) {
  const mcp = `${baseUrl}/mcp`;
  const all = [baseUrl, `${baseUrl}/api`, mcp] as const;

  const canonical = (requested: string): string => {
    // Scheme and host are case-insensitive, the rest is exact. Some clients add a slash to an origin.
    const [, origin, rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)(.*)$/i.exec(requested) ?? [];
    const text = origin === undefined ? '' : `${origin.toLowerCase()}${rest === '/' ? '' : rest}`;
    const found = all.find(resource => resource === text);
    if (found === undefined) throw refuse('invalid_target', 'resource is not one of this server');
    return found;
  };
  const distinct = (requested: readonly string[]): string[] => [...new Set(requested.map(canonical))];

  return {
    /** The canonical identifiers of the root, the API and the MCP endpoint. */
    all,
    /** @returns the canonical identifier of the requested resource, or the default @throws OAuthError invalid_target */
    resolve: (requested: readonly string[]): string => {
      const found = distinct(requested);
      if (found.length > 1) throw refuse('invalid_target', 'only one resource may be requested');
      return found[0] ?? mcp;
    },
    /** @throws OAuthError invalid_target when another resource than the granted one is requested */
    requireGranted: (granted: string, requested: readonly string[]): void => {
      if (distinct(requested).some(resource => resource !== granted))
        throw refuse('invalid_target', 'resource is not the one that was granted');
    },
  };
}
