/*
 * The token endpoint and token revocation. Access tokens are signed before anything is written, so that a failure to sign
 * leaves the code or refresh token usable.
 */

import { hashOf } from '../../core/access/credential-hash.ts';
import type { Clock } from '../../core/clock.ts';
import { newId, newToken, type RandomBytes } from '../../core/ids/ids.ts';
import { type AccessTokens, accessTokenMs } from './access-tokens.ts';
import type { ClientRow } from './clients-store.ts';
import type { CodeRow, CodesStore } from './codes-store.ts';
import type { GrantsStore, RevocationReason } from './grants-store.ts';
import { refuse } from './oauth-error.ts';
import { isVerifierOf } from './pkce.ts';
import { redirectHost } from './redirect-uris.ts';
import type { RequestParameters } from './request-parameters.ts';
import { narrowedScope, type Resources } from './scopes.ts';

export type TokenResponse = {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
  refresh_token?: string;
};

type TokenEndpointOptions = {
  codes: CodesStore;
  grants: GrantsStore;
  tokens: AccessTokens;
  resources: Resources;
  clock: Clock;
  random: RandomBytes;
  /** How long a rotated refresh token still works. */
  refreshGraceMs: number;
  /** Called after a grant may have ended. */
  onGrantEnded: () => void;
  /** Called with the id of a new grant before its tokens are returned. */
  onGrantCreated: (grantId: string) => Promise<void>;
  /** An app has ended its own grant. */
  onGrantRevoked: (grantId: string) => Promise<void>;
};

const dayMs = 24 * 3_600_000;
const refreshIdleMs = 30 * dayMs;
const grantMs = 365 * dayMs;
const maxWrongVerifiers = 5;

const invalidGrant = (description: string) => refuse('invalid_grant', description);

const tokenResponse = (accessToken: string, scope: string, refreshToken: string | undefined): TokenResponse => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: accessTokenMs / 1000,
  scope,
  ...(refreshToken !== undefined && { refresh_token: refreshToken }),
});

export function createTokenEndpoint(options: TokenEndpointOptions) {
  const { grants, tokens, clock, onGrantEnded, onGrantRevoked } = options;

  const endGrant = async (id: string, reason: RevocationReason): Promise<void> => {
    await grants.revoke(id, clock.now(), reason);
    onGrantEnded();
  };

  return {
    exchangeCode: createCodeExchange(options, endGrant),
    refresh: createRefresh(options),

    /**
     * RFC 7009: revoking either kind of token ends its grant. A token of another client, or an unknown one, changes nothing.
     */
    async revoke(client: ClientRow, token: string): Promise<void> {
      const found = (await grants.findRefreshToken(hashOf(token))) ?? (await tokens.verify(token));
      if (found?.clientId !== client.id) return;
      await endGrant(found.grantId, 'revoked');
      await onGrantRevoked(found.grantId);
    },
  };
}

type EndGrant = (id: string, reason: RevocationReason) => Promise<void>;

/** `grant_type=authorization_code` (OAuth 2.1 section 4.1.3). A second use of a code revokes the grant of the first. */
function createCodeExchange(options: TokenEndpointOptions, endGrant: EndGrant) {
  const { codes, tokens, resources, clock, random, onGrantCreated } = options;

  /** Only a wrong verifier counts against the code; other errors leave it as it is. @throws OAuthError */
  const checkCode = async (code: CodeRow, form: RequestParameters, now: number): Promise<void> => {
    if (code.usedGrant !== null) {
      await endGrant(code.usedGrant, 'code_reuse');
      throw invalidGrant('the code was used already');
    }
    if (code.expiresAt <= now || code.fails >= maxWrongVerifiers) throw invalidGrant('the code has expired');
    const redirectUri = form.get('redirect_uri');
    if (redirectUri !== undefined && redirectUri !== code.redirectUri)
      throw invalidGrant('redirect_uri differs from the authorization request');
    resources.requireGranted(code.resource, form.all('resource'));
    const verifier = form.get('code_verifier');
    if (code.challenge === null || verifier === undefined || !isVerifierOf(code.challenge, verifier)) {
      await codes.countWrongVerifier(code.hash);
      throw invalidGrant('code_verifier does not match the code_challenge of the authorization request');
    }
  };

  /** @throws OAuthError */
  return async (client: ClientRow, form: RequestParameters): Promise<TokenResponse> => {
    const codeValue = form.get('code');
    if (codeValue === undefined) throw refuse('invalid_request', 'code is missing');
    const hash = hashOf(codeValue);
    const code = await codes.find(hash);
    if (!code || code.clientId !== client.id) throw invalidGrant('the code is not valid');
    const now = clock.now();
    await checkCode(code, form, now);
    const { accountId, clientId, scope, resource, redirectUri } = code;
    const grantId = newId('grt', now, random);
    const accessToken = await tokens.sign({ accountId, clientId, grantId, scope, resource });
    const refreshToken = client.mayRefresh ? newToken(random) : undefined;
    const isRedeemed = await codes.redeem(hash, {
      id: grantId,
      appId: newId('app', now, random),
      appName: client.name,
      maxWrongVerifiers,
      redirectHost: redirectHost(redirectUri),
      now,
      expiresAt: now + grantMs,
      ...(refreshToken !== undefined && {
        refresh: { hash: hashOf(refreshToken), idleExpiresAt: now + refreshIdleMs },
      }),
    });
    if (!isRedeemed) {
      const usedGrant = (await codes.find(hash))?.usedGrant;
      if (usedGrant) await endGrant(usedGrant, 'code_reuse');
      throw invalidGrant('the code was used already');
    }
    await onGrantCreated(grantId);
    return tokenResponse(accessToken, scope, refreshToken);
  };
}

/** `grant_type=refresh_token` (OAuth 2.1 section 4.3). Each use replaces the refresh token. */
function createRefresh(options: TokenEndpointOptions) {
  const { grants, tokens, resources, clock, random, refreshGraceMs, onGrantEnded } = options;

  /** @throws OAuthError */
  return async (client: ClientRow, form: RequestParameters): Promise<TokenResponse> => {
    const token = form.get('refresh_token');
    if (token === undefined) throw refuse('invalid_request', 'refresh_token is missing');
    const hash = hashOf(token);
    const row = await grants.findRefreshToken(hash);
    if (!row || row.clientId !== client.id) throw invalidGrant('the refresh token is not valid');
    resources.requireGranted(row.resource, form.all('resource'));
    const scope = narrowedScope(row.scope, form.get('scope'));
    const { accountId, clientId, grantId, resource } = row;
    const accessToken = await tokens.sign({ accountId, clientId, grantId, scope, resource });
    const nextToken = newToken(random);
    const now = clock.now();
    const next = { hash: hashOf(nextToken), idleExpiresAt: now + refreshIdleMs };
    if (!(await grants.rotateRefreshToken(hash, next, { now, graceMs: refreshGraceMs }))) {
      onGrantEnded();
      throw invalidGrant('the refresh token is no longer valid');
    }
    return tokenResponse(accessToken, scope, nextToken);
  };
}
