/* An OpenID Connect provider in the test's process, which can lie about everything. */
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { ProviderFetch } from '../features/oidc/provider.ts';

type Claims = Record<string, unknown>;
type Issued = { nonce: string; challenge: string; person: Claims };

export type TestIssuer = Awaited<ReturnType<typeof openTestIssuer>>;

/** @param now epoch ms */
export async function openTestIssuer({ issuer = 'https://id.test', now }: { issuer?: string; now: () => number }) {
  const newKey = async (kid: string) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } as JWK };
  };
  const key = await newKey('one');
  const codes = new Map<string, Issued>();
  const tokens = new Map<string, Claims>();
  let count = 0;

  const state = {
    issuer,
    key,
    newKey,
    /** Makes it honest again. */
    reset(): void {
      const honest = { key, keys: [key.jwk], metadata: {}, idClaims: {}, token: {}, userInfo: {}, requests: [] };
      Object.assign(state, honest, { sign: undefined, intercept: undefined });
    },
    /** The requests that this server sent. */
    requests: [] as { url: string; headers: Headers; body: URLSearchParams }[],
    /** Replaces metadata; undefined removes it. */
    metadata: {} as Record<string, unknown>,
    /** Replaces claims of the ID token; undefined removes one. */
    idClaims: {} as Claims,
    /** Makes the ID token instead. */
    sign: undefined as ((claims: Claims) => Promise<string>) | undefined,
    /** Replaces the token response. */
    token: {} as Record<string, unknown>,
    keys: [key.jwk] as JWK[],
    /** Claims that only UserInfo has. */
    userInfo: {} as Claims,
    /** Answers instead, if it returns something. */
    intercept: undefined as ((url: string, init: RequestInit) => Promise<Response | undefined>) | undefined,

    /** The person signs in at the provider. @returns the callback's address */
    authorize(url: string, person: Claims, over: Record<string, string | undefined> = {}): URL {
      const { searchParams: asked } = new URL(url);
      const code = `code-${++count}`;
      codes.set(code, { nonce: asked.get('nonce') ?? '', challenge: asked.get('code_challenge') ?? '', person });
      const back = new URL(asked.get('redirect_uri') ?? 'none:');
      const answer = { code, state: asked.get('state') ?? '', iss: state.issuer, ...over };
      for (const [name, value] of Object.entries(answer))
        if (value !== undefined) back.searchParams.append(name, value);
      return back;
    },
    fetch: (async (url, init) => {
      const body = new URLSearchParams(String(init.body ?? ''));
      const headers = new Headers(init.headers);
      state.requests.push({ url, headers, body });
      return (await state.intercept?.(url, init)) ?? answer(new URL(url).pathname, body, headers);
    }) as ProviderFetch,
  };

  const metadata = () => ({
    issuer: state.issuer,
    authorization_endpoint: `${state.issuer}/authorize`,
    token_endpoint: `${state.issuer}/token`,
    jwks_uri: `${state.issuer}/keys`,
    userinfo_endpoint: `${state.issuer}/userinfo`,
    end_session_endpoint: `${state.issuer}/end`,
    id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'],
    authorization_response_iss_parameter_supported: true,
    ...state.metadata,
  });

  const signClaims = (claims: Claims): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: state.key.kid }).sign(state.key.privateKey);

  const redeem = async (body: URLSearchParams): Promise<Response> => {
    const issued = codes.get(body.get('code') ?? '');
    codes.delete(body.get('code') ?? '');
    const hash = new Bun.CryptoHasher('sha256').update(body.get('code_verifier') ?? '').digest('base64url');
    if (issued?.challenge !== hash) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    const seconds = Math.floor(now() / 1000);
    const usual = { iss: state.issuer, aud: 'hooktape', nonce: issued.nonce, iat: seconds, exp: seconds + 300 };
    const claims = JSON.parse(JSON.stringify({ ...usual, ...issued.person, ...state.idClaims })) as Claims;
    const accessToken = `at-${++count}`;
    tokens.set(accessToken, { ...issued.person, ...state.userInfo });
    return Response.json({
      access_token: accessToken,
      token_type: 'Bearer',
      id_token: await (state.sign ?? signClaims)(claims),
      ...state.token,
    });
  };

  const answer = async (path: string, body: URLSearchParams, headers: Headers): Promise<Response> => {
    if (path.endsWith('/.well-known/openid-configuration')) return Response.json(metadata());
    if (path.endsWith('/keys')) return Response.json({ keys: state.keys });
    if (path.endsWith('/token')) return redeem(body);
    const claims = tokens.get(headers.get('authorization')?.replace(/^bearer /i, '') ?? '');
    return claims ? Response.json(claims) : new Response(null, { status: 404 });
  };

  return state;
}
