/*
 * The token endpoint (OAuth 2.1 section 4.1.3 and 4.3). A code works once; a second use revokes what the first one gave. A
 * refresh token is replaced at each use; presented again within the grace window it gets a sibling, after that it ends its
 * grant. The access token is signed before anything is written, so that a failure there cannot eat a refresh token.
 */
import type { Clock } from '../../core/clock.ts';
import { newId, newToken, type RandomBytes } from '../../core/ids.ts';
import { type AccessTokens, accessTokenMs } from './access-tokens.ts';
import type { ClientRow } from './clients-store.ts';
import { hashOf } from './credential-hash.ts';
import type { CodeRow, RevocationReason, TokensStore } from './grants-store.ts';
import { maxCodeFails } from './limits.ts';
import { refuse } from './oauth-error.ts';
import { isVerifierOf } from './pkce.ts';
import { redirectHost } from './redirect-uris.ts';
import type { RequestParameters } from './request-parameters.ts';
import { narrowedScope, type Resources } from './scopes.ts';

export type TokenAnswer = {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
  refresh_token?: string;
};

const dayMs = 24 * 3_600_000;
const refreshIdleMs = 30 * dayMs;
const grantMs = 365 * dayMs;

const badGrant = (description: string) => refuse('invalid_grant', description);

export function createTokenEndpoint(options: {
  store: TokensStore;
  tokens: AccessTokens;
  resources: Resources;
  clock: Clock;
  random: RandomBytes;
  refreshGraceMs: number;
  /** Called after a grant may have ended. */
  onGrantEnded: () => void;
  onGranted: (grantId: string) => void;
}) {
  const { store, tokens, resources, clock, random, refreshGraceMs, onGrantEnded, onGranted } = options;

  const endGrant = async (id: string, reason: RevocationReason): Promise<void> => {
    await store.revokeGrant(id, clock.now(), reason);
    onGrantEnded();
  };

  const answer = (accessToken: string, scope: string, refreshToken: string | undefined): TokenAnswer => ({
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: accessTokenMs / 1000,
    scope,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
  });

  /** Faults that leave the code as it is, then the one that wears it out. @throws OAuthError */
  const checkCode = async (code: CodeRow, form: RequestParameters, now: number): Promise<void> => {
    if (code.usedGrant !== null) {
      await endGrant(code.usedGrant, 'code_reuse');
      throw badGrant('the code was used already');
    }
    if (code.expiresAt <= now || code.fails >= maxCodeFails) throw badGrant('the code has expired');
    const redirectUri = form.get('redirect_uri');
    if (redirectUri !== undefined && redirectUri !== code.redirectUri)
      throw badGrant('redirect_uri is not the one of the authorization request');
    resources.same(code.resource, form.all('resource'));
    const verifier = form.get('code_verifier');
    if (code.challenge === null || verifier === undefined || !isVerifierOf(code.challenge, verifier)) {
      await store.failCode(code.hash);
      throw badGrant('code_verifier does not fit');
    }
  };

  return {
    /** @throws OAuthError */
    async redeemCode(client: ClientRow, form: RequestParameters): Promise<TokenAnswer> {
      const given = form.get('code');
      if (given === undefined) throw refuse('invalid_request', 'code is missing');
      const hash = hashOf(given);
      const code = await store.findCode(hash);
      if (!code || code.clientId !== client.id) throw badGrant('the code is not valid');
      const now = clock.now();
      await checkCode(code, form, now);
      const { accountId, clientId, scope, resource, redirectUri } = code;
      const grantId = newId('grt', now, random);
      const accessToken = await tokens.sign({ accountId, clientId, grantId, scope, resource });
      const refreshToken = client.mayRefresh ? newToken(random) : undefined;
      const isRedeemed = await store.redeemCode(hash, {
        id: grantId,
        appId: newId('app', now, random),
        appName: client.name,
        maxCodeFails,
        redirectHost: redirectHost(redirectUri),
        now,
        expiresAt: now + grantMs,
        ...(refreshToken !== undefined && {
          refresh: { hash: hashOf(refreshToken), idleExpiresAt: now + refreshIdleMs },
        }),
      });
      if (!isRedeemed) {
        const used = (await store.findCode(hash))?.usedGrant;
        if (used) await endGrant(used, 'code_reuse');
        throw badGrant('the code was used already');
      }
      onGranted(grantId);
      return answer(accessToken, scope, refreshToken);
    },

    /** @throws OAuthError */
    async refresh(client: ClientRow, form: RequestParameters): Promise<TokenAnswer> {
      const given = form.get('refresh_token');
      if (given === undefined) throw refuse('invalid_request', 'refresh_token is missing');
      const hash = hashOf(given);
      const row = await store.findRefresh(hash);
      if (!row || row.clientId !== client.id) throw badGrant('the refresh token is not valid');
      resources.same(row.resource, form.all('resource'));
      const scope = narrowedScope(row.scope, form.get('scope'));
      const { accountId, clientId, grantId, resource } = row;
      const accessToken = await tokens.sign({ accountId, clientId, grantId, scope, resource });
      const next = newToken(random);
      const now = clock.now();
      const successor = { hash: hashOf(next), idleExpiresAt: now + refreshIdleMs };
      if (!(await store.rotate(hash, successor, now, refreshGraceMs))) {
        onGrantEnded();
        throw badGrant('the refresh token is not valid any more');
      }
      return answer(accessToken, scope, next);
    },

    /** RFC 7009: either kind of token ends the whole grant; a token that is not this client's, or none, changes nothing. */
    async revoke(client: ClientRow, token: string): Promise<void> {
      const row = await store.findRefresh(hashOf(token));
      const claims = row ? undefined : await tokens.verify(token);
      const found = row ?? claims;
      if (found && found.clientId === client.id) await endGrant(found.grantId, 'revoked');
    },
  };
}
