/* A test server as an OAuth authorization server: signed-in accounts, clients, and every step to a token. */
import { createHash } from 'node:crypto';
import { type HeldClock, holdClock } from './clock.ts';
import { openTestServer, type TestAccount, type TestServer, type TestServerOptions } from './test-server.ts';

export const base = 'https://hooks.test';
export const verifier = 'a-verifier-that-is-long-enough-for-every-rule-0001';
export const challengeOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

export type Form = Record<string, string | undefined> | [string, string][];
export type TestClient = { id: string; secret: string | undefined; redirectUri: string };
export type Tokens = {
  access_token: string;
  refresh_token: string;
  scope: string;
  expires_in: number;
  token_type: string;
};
export type SignedInAccount = TestAccount & { cookie: string };

/** The headers that a browser sends with a form of the server's own page. */
export const ownPage = { 'sec-fetch-site': 'same-origin' };

/** The password of every account that `createAccount` creates. */
export const signInPassword = 'correct horse battery';

export const encode = (form: Form): string =>
  new URLSearchParams(
    Array.isArray(form) ? form : Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString();

export const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${btoa(`${id}:${secret}`)}`,
});

export type OAuthHarness = Awaited<ReturnType<typeof openOAuthHarness>>;

export async function openOAuthHarness(options: TestServerOptions & { clock?: HeldClock } = {}) {
  const clock = options.clock ?? holdClock();
  const server: TestServer = await openTestServer({
    ...options,
    clock,
    env: { HOOKTAPE_BASE_URL: base, ...options.env },
  });
  const { services, fetch } = server;
  let addresses = 0;

  /** An account with a password, signed in. */
  const createAccount = async (email: string, teamOf?: string): Promise<SignedInAccount> => {
    const caller = await server.createAccount(email, {
      password: signInPassword,
      ...(teamOf !== undefined && { teamOf }),
    });
    return { ...caller, cookie: await signIn(email) };
  };
  const signIn = async (email: string): Promise<string> => {
    const client = { userAgent: 'test', sourceIp: `10.0.0.${++addresses}`, sessionId: undefined };
    return `${services.cookie.name}=${await services.sessions.signIn({ email, password: signInPassword }, client)}`;
  };

  /** Registers a client from a new address each time, because the limit per address has its own test. */
  const register = async (metadata: Record<string, unknown> = {}): Promise<TestClient> => {
    const redirectUris = (metadata['redirect_uris'] as string[] | undefined) ?? ['https://c.test/cb'];
    const body = await services.oauth.register(
      { client_name: 'Test app', redirect_uris: redirectUris, token_endpoint_auth_method: 'none', ...metadata },
      `asker-${++addresses}`,
      undefined,
    );
    const secret = body['client_secret'];
    return {
      id: String(body['client_id']),
      secret: typeof secret === 'string' ? secret : undefined,
      redirectUri: redirectUris[0] ?? '',
    };
  };

  const request = (client: TestClient, over: Form = {}): string => {
    const usual: [string, string][] = [
      ['client_id', client.id],
      ['redirect_uri', client.redirectUri],
      ['response_type', 'code'],
      ['code_challenge', challengeOf(verifier)],
      ['code_challenge_method', 'S256'],
      ['state', 'a-state'],
    ];
    if (Array.isArray(over)) return encode([...usual, ...over]);
    return encode({ ...Object.fromEntries(usual), ...over });
  };
  const visit = (query: string, cookie?: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`/authorize?${query}`, { ...init, headers: { ...(cookie && { cookie }), ...(init.headers as object) } });
  const post = (path: string, form: Form | string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof form === 'string' ? form : encode(form),
    });

  /** The handle in a consent page. */
  const handleIn = async (page: Response): Promise<string> => {
    const html = await page.text();
    const handle = /name="handle" value="([^"]+)"/.exec(html)?.[1];
    if (!handle) throw new Error(`no consent page: ${page.status} ${page.headers.get('location')} ${html}`);
    return handle;
  };
  const answer = (handle: string, cookie: string, decision = 'allow'): Promise<Response> =>
    post('/authorize/consent', { handle, decision }, { cookie, ...ownPage });
  /** Requests authorization and decides on the consent page. @returns where the browser is redirected to */
  const consent = async (
    client: TestClient,
    who: SignedInAccount,
    over: Form = {},
    decision = 'allow',
  ): Promise<URL> => {
    const handle = await handleIn(await visit(request(client, over), who.cookie));
    return new URL((await answer(handle, who.cookie, decision)).headers.get('location') ?? 'none:');
  };
  const codeFor = async (client: TestClient, who: SignedInAccount, over: Form = {}): Promise<string> =>
    (await consent(client, who, over)).searchParams.get('code') ?? '';

  const authentication = (client: TestClient): Record<string, string> =>
    client.secret === undefined ? { client_id: client.id } : { client_id: client.id, client_secret: client.secret };
  const redeem = (client: TestClient, code: string, over: Record<string, string | undefined> = {}): Promise<Response> =>
    post('/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: client.redirectUri,
      code_verifier: verifier,
      ...authentication(client),
      ...over,
    });
  const refresh = (
    client: TestClient,
    token: string,
    over: Record<string, string | undefined> = {},
  ): Promise<Response> =>
    post('/token', { grant_type: 'refresh_token', refresh_token: token, ...authentication(client), ...over });
  /** Authorization, consent and token request. */
  const connect = async (client: TestClient, who: SignedInAccount, over: Form = {}): Promise<Tokens> => {
    const response = await redeem(client, await codeFor(client, who, over));
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as Tokens;
  };
  const use = (token: string, path = '/api/me', init: RequestInit = {}): Promise<Response> =>
    fetch(path, { ...init, headers: { authorization: `Bearer ${token}`, ...(init.headers as object) } });

  return {
    server,
    clock,
    services,
    fetch,
    createAccount,
    signIn,
    register,
    request,
    visit,
    post,
    handleIn,
    answer,
    consent,
    codeFor,
    redeem,
    refresh,
    connect,
    use,
    close: server.close,
  };
}

/** The status and the OAuth error code in one text, for tables. */
export async function failure(response: Response): Promise<string> {
  const body = (await response.json()) as { error?: string };
  return `${response.status} ${body.error ?? ''}`;
}
