/* panva's oidc-provider on loopback, with its own pages for signing in and consent. */
import { createServer, type RequestListener } from 'node:http';
import Provider from 'oidc-provider';

export type ProviderServer = { origin: string; close: () => void };

/** @param people the claims of each person, by the name that is typed in @param port any free one by default */
export async function openProviderServer(
  redirectUri: string,
  people: Record<string, Record<string, unknown>>,
  port = 0,
): Promise<ProviderServer> {
  let handle: RequestListener = () => {};
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const provider = new Provider(origin, {
    clients: [
      {
        client_id: 'hooktape',
        client_secret: 'a-secret-of-this-client',
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [new URL('/login', redirectUri).href],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    cookies: { keys: ['a key of the test'] },
  });
  handle = provider.callback();
  return { origin, close: () => void server.close() };
}
