/*
 * What a token is for. There is one scope and one resource server; its three identifiers are worth the same, and what a
 * client asks beyond them is ignored (scopes) or refused (resources, RFC 8707).
 */
import { refuse } from './oauth-error.ts';

export const webhooksScope = 'webhooks';
/**
 * Asked for by clients that want refresh tokens. It grants nothing by itself, but an answer whose scope is not the one that was
 * asked for is refused by some clients (RFC 6749 section 5.1 makes them compare), so who asks for it has it.
 */
export const offlineScope = 'offline_access';

const scopeForm = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const maxScopeLength = 1000;

/** @throws OAuthError invalid_scope when it is no scope at all */
export function effectiveScope(asked: string | undefined): string {
  if (asked !== undefined && (asked.length > maxScopeLength || !scopeForm.test(asked.trim())))
    throw refuse('invalid_scope', 'scope is malformed');
  return scopesIn(asked).includes(offlineScope) ? `${webhooksScope} ${offlineScope}` : webhooksScope;
}

/**
 * The scope of a refreshed token: what the grant has, or the part of it that was asked for. Grants made before `offline_access`
 * was granted lack it; a client that asks for it again may have it.
 * @throws OAuthError
 */
export function narrowedScope(granted: string, asked: string | undefined): string {
  const wanted = scopesIn(asked);
  if (wanted.length === 0) return granted;
  const held = new Set([...scopesIn(granted), offlineScope]);
  if (wanted.some(scope => !held.has(scope))) throw refuse('invalid_scope', 'scope is wider than what was granted');
  // offline_access alone would make a token that opens nothing.
  const isOfflineAlone = wanted.every(scope => scope === offlineScope);
  return [...new Set(isOfflineAlone ? [...scopesIn(granted), ...wanted] : wanted)].join(' ');
}

const scopesIn = (text = ''): string[] => text.split(' ').filter(scope => scope !== '');

export const hasWebhooksScope = (scope: unknown): boolean =>
  typeof scope === 'string' && scope.split(' ').includes(webhooksScope);

export type Resources = {
  /** Canonical identifiers, in the order root, API, MCP. */
  all: readonly [string, string, string];
  /** @returns the canonical identifier, the default when none was asked for @throws OAuthError invalid_target */
  one: (asked: readonly string[]) => string;
  /** @throws OAuthError invalid_target unless what was asked for is what was granted */
  same: (granted: string, asked: readonly string[]) => void;
};

export function createResources(baseUrl: string): Resources {
  const mcp = `${baseUrl}/mcp`;
  const all = [baseUrl, `${baseUrl}/api`, mcp] as const;

  const canonical = (asked: string): string => {
    // Scheme and host are case-insensitive, all else is exact; clients send an origin with a slash behind it.
    const [, origin, rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)(.*)$/i.exec(asked) ?? [];
    const text = origin === undefined ? '' : `${origin.toLowerCase()}${rest === '/' ? '' : rest}`;
    const found = all.find(resource => resource === text);
    if (found === undefined) throw refuse('invalid_target', 'resource is not one of this server');
    return found;
  };
  const distinct = (asked: readonly string[]): string[] => [...new Set(asked.map(canonical))];

  return {
    all,
    one: asked => {
      const found = distinct(asked);
      if (found.length > 1) throw refuse('invalid_target', 'only one resource may be asked for');
      return found[0] ?? mcp;
    },
    same: (granted, asked) => {
      if (distinct(asked).some(resource => resource !== granted))
        throw refuse('invalid_target', 'resource is not the one that was granted');
    },
  };
}
