/* Third-party OAuth clients from three code bases against this server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { base, type OAuthHarness, openOAuthHarness, type SignedInAccount } from '../../testing/oauth-harness.ts';
import { thrownBy } from '../../testing/thrown-by.ts';

let harness: OAuthHarness;
let ada: SignedInAccount;
const redirectUri = 'https://c.test/cb';

beforeAll(async () => {
  harness = await openOAuthHarness();
  // These clients check times against the real clock.
  harness.clock.setNow(Date.now());
  ada = await harness.createAccount('ada@example.com');
});
afterAll(() => harness.close());

const inProcess = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const request = input instanceof Request ? input : new Request(String(input), init);
  const { pathname, search } = new URL(request.url);
  const body = request.method === 'GET' ? undefined : await request.text();
  return harness.fetch(pathname + search, {
    method: request.method,
    headers: request.headers,
    ...(body !== undefined && { body }),
  });
};
/** What the user's browser does with the URL that a client sends it to. */
const browse = async (address: URL): Promise<URL> => {
  const page = await harness.visit(address.search.slice(1), ada.cookie);
  const answer = await harness.answer(await harness.handleIn(page), ada.cookie);
  return new URL(answer.headers.get('location') ?? '');
};

describe('openid-client', () => {
  const register = (metadata: Partial<openid.ClientMetadata>, auth?: openid.ClientAuth) =>
    openid.dynamicClientRegistration(
      new URL(base),
      { redirect_uris: [redirectUri], client_name: 'openid-client', ...metadata },
      auth,
      { algorithm: 'oauth2', [openid.customFetch]: inProcess as openid.CustomFetch },
    );
  const start = async (config: openid.Configuration) => {
    config[openid.customFetch] = inProcess as openid.CustomFetch;
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'webhooks offline_access',
      resource: `${base}/mcp`,
      state: expectedState,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    return { landed: await browse(address), checks: { pkceCodeVerifier, expectedState } };
  };

  test.each(['none', 'client_secret_basic', 'client_secret_post'])(
    'the whole way, authenticating by %s',
    async method => {
      const auth = method === 'client_secret_basic' ? openid.ClientSecretBasic() : undefined;
      const config = await register({ token_endpoint_auth_method: method }, auth);
      const { landed, checks } = await start(config);
      const tokens = await openid.authorizationCodeGrant(config, landed, checks);
      expect((await harness.use(tokens.access_token)).status).toBe(200);
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
      expect((await harness.use(refreshed.access_token)).status).toBe(200);
      await openid.tokenRevocation(config, refreshed.refresh_token ?? '');
      expect((await harness.use(refreshed.access_token)).status).toBe(401);
    },
  );

  test('the client refuses a response with another issuer', async () => {
    const config = await register({ token_endpoint_auth_method: 'none' });
    const { landed, checks } = await start(config);
    landed.searchParams.set('iss', 'https://evil.test');
    expect(await thrownBy(openid.authorizationCodeGrant(config, landed, checks))).toThrow();
  });
});

describe('oauth4webapi', () => {
  const options = { [oauth.customFetch]: inProcess as typeof fetch };

  test('reads the server and resource metadata', async () => {
    const resource = new URL(`${base}/mcp`);
    const metadata = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, options),
    );
    expect(metadata.authorization_servers).toEqual([base]);
    const issuer = new URL(base);
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options });
    expect((await oauth.processDiscoveryResponse(issuer, response)).issuer).toBe(base);
  });

  test('gets tokens and validates the access token by RFC 9068', async () => {
    const issuer = new URL(base);
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options }),
    );
    const { id } = await harness.register();
    const client: oauth.Client = { client_id: id };
    const codeVerifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const address = new URL(as.authorization_endpoint ?? '');
    for (const [name, value] of Object.entries({
      client_id: id,
      redirect_uri: redirectUri,
      response_type: 'code',
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state,
    }))
      address.searchParams.set(name, value);
    const answer = oauth.validateAuthResponse(as, client, await browse(address), state);
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      answer,
      redirectUri,
      codeVerifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response);
    const request = new Request(`${base}/mcp`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
    const claims = await oauth.validateJwtAccessToken(as, request, `${base}/mcp`, options);
    expect(claims).toMatchObject({ sub: ada.accountId, client_id: id, scope: 'webhooks' });
    expect(JSON.stringify(claims)).not.toContain('ada@example.com');
  });
});

describe('the MCP SDK client', () => {
  type Kept = { client?: { client_id: string }; tokens?: object; verifier?: string; sentTo?: URL };
  const provider = (kept: Kept): OAuthClientProvider => ({
    redirectUrl: redirectUri,
    clientMetadata: { client_name: 'An MCP client', redirect_uris: [redirectUri] },
    clientInformation: () => kept.client as ReturnType<OAuthClientProvider['clientInformation']>,
    saveClientInformation: client => {
      kept.client = client;
    },
    tokens: () => kept.tokens as ReturnType<OAuthClientProvider['tokens']>,
    saveTokens: tokens => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: address => {
      kept.sentTo = address;
    },
    saveCodeVerifier: verifier => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? '',
  });

  test.each(['auto', 'legacy'] as const)('connects after one consent and refreshes its token (%s)', async mode => {
    const kept: Kept = {};
    const make = () =>
      new StreamableHTTPClientTransport(new URL(`${base}/mcp`), {
        authProvider: provider(kept),
        fetch: inProcess as typeof fetch,
      });
    const newClient = () => new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const first = make();
    expect(await thrownBy(newClient().connect(first))).toThrow();
    expect(kept.sentTo?.searchParams.get('resource')).toBe(`${base}/mcp`);
    const landed = await browse(kept.sentTo ?? new URL(base));
    await first.finishAuth(landed.searchParams);
    const client = newClient();
    await client.connect(make());
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    const before = JSON.stringify(kept.tokens);
    harness.clock.advance(3_700_000);
    expect((await client.callTool({ name: 'list_endpoints', arguments: {} })).isError).toBeFalsy();
    expect(JSON.stringify(kept.tokens)).not.toBe(before);
    await client.close();
  });
});
