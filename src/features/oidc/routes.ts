/* Sign-in with an OpenID Connect provider: the pages that a browser visits, and the binding of an account. */
import { Elysia } from 'elysia';
import { AppError, type ErrorCode, notFound } from '../../core/errors.ts';
import { pageHeaders } from '../../core/html-page.ts';
import { hostOf } from '../../core/network/hosts.ts';
import { routesOf } from '../../http/authenticated.ts';
import { clientInfo } from '../../http/client-info.ts';
import type { SessionCookie } from '../../http/cookie.ts';
import { requestContext } from '../../http/fetch-adapter.ts';
import type { Gate } from '../../http/gate.ts';
import { operation } from '../../http/operation.ts';
import { done, Ok, RecentSignInError, responses } from '../../http/schemas.ts';
import type { OidcBindings } from './bindings.ts';
import { OidcStart } from './model.ts';
import { refusedPage, startAgainPage, startPath, tooManyPage, unavailablePage } from './pages.ts';
import type { PendingCookie } from './pending.ts';
import type { OidcService } from './service.ts';

export const callbackPath = `${startPath}/callback`;

/** Sign-in at the configured provider. */
export type OidcSignIn = {
  name: string;
  service: OidcService;
  pending: PendingCookie;
  /** @returns the seconds to wait, 0 if this address may begin or finish a sign-in */
  limit: (address: string) => number;
};

type OidcRoutesOptions = { gate: Gate; oidc: OidcSignIn | undefined; oidcBindings: OidcBindings };

/** The operations of the API. */
export const oidcRoutes = ({ gate, oidc, oidcBindings }: OidcRoutesOptions) =>
  routesOf(gate, '/api/me/oidc', 'Account')
    .post(
      '',
      async ({ principal, set }) => {
        oidcBindings.requireMayChange(principal);
        if (!oidc) throw notFound('OpenID Connect provider');
        const { url, cookie } = await oidc.service.beginBinding(principal.accountId);
        set.headers['cache-control'] = 'no-store';
        set.headers['set-cookie'] = cookie;
        return { url };
      },
      {
        response: { ...responses({ 200: OidcStart }, 404), 403: RecentSignInError },
        ...operation({
          operationId: 'bindOidc',
          permission: 'signIn',
          security: [{ session: [] }],
          audit: null,
          summary: 'Begin to bind the account to one of the OpenID Connect provider',
          description:
            'Needs a session with a sign-in within the last 10 minutes. The browser that gets the answer goes to `url` and comes back within 10 minutes. Then the account is bound to whoever the provider names, whatever the email address.',
        }),
      },
    )
    .delete('', ({ principal }) => done(oidcBindings.end(principal)), {
      response: { ...responses({ 200: Ok }, 404, 409), 403: RecentSignInError },
      ...operation({
        operationId: 'unbindOidc',
        permission: 'signIn',
        security: [{ session: [] }],
        audit: { action: 'oidc.unbound', type: 'account' },
        summary: 'End the binding to the OpenID Connect provider',
        description:
          'Needs a session with a sign-in within the last 10 minutes. 409 when it is the last way to sign in. Sessions stay.',
      }),
    });

type OidcPagesOptions = {
  gate: Pick<Gate, 'recheck'>;
  cookie: SessionCookie;
  oidc: OidcSignIn | undefined;
  ways: { password: boolean; passkeys: boolean };
  config: { baseUrl: string };
};

const pageStatuses: Partial<Record<ErrorCode, number>> = { forbidden: 403, unauthorized: 400, unavailable: 503 };

/** The pages outside of the API: where a sign-in begins, and where the provider sends the browser back to. */
export function oidcPageRoutes({ gate, cookie, oidc, ways, config: { baseUrl } }: OidcPagesOptions) {
  if (!oidc) return new Elysia();
  const { name, service, pending, limit } = oidc;
  const baseHost = hostOf(new URL(baseUrl).host);

  const show = (status: number, html: string, headers: Record<string, string> = {}): Response =>
    new Response(html, { status, headers: { ...pageHeaders(), ...headers } });
  const redirect = (location: string, cookies: readonly string[] = []): Response => {
    const headers = new Headers({ location, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    for (const line of cookies) headers.append('set-cookie', line);
    return new Response(null, { status: 303, headers });
  };
  /** @throws other errors */
  const showError = (error: unknown, to: string | undefined, headers: Record<string, string>): Response => {
    const status = error instanceof AppError ? pageStatuses[error.code] : undefined;
    if (!(error instanceof AppError) || status === undefined) throw error;
    if (status === 400) return show(400, startAgainPage(name, to), headers);
    if (status === 403) return show(403, refusedPage(name), headers);
    return show(503, unavailablePage(name, ways, to), {
      ...headers,
      'retry-after': String(error.retryAfterSeconds ?? 5),
    });
  };
  const tooMany = (seconds: number): Response => show(429, tooManyPage(name), { 'retry-after': String(seconds) });
  const head = (): Response => new Response(null, { headers: pageHeaders() });

  /** The cookie of a sign-in belongs to the host that the provider sends the browser back to. */
  const isOtherHost = (request: Request): boolean => {
    const header = request.headers.get('host');
    return header !== null && hostOf(header) !== baseHost;
  };

  const start = async (request: Request): Promise<Response> => {
    // Link checkers send HEAD: nothing begins.
    if (request.method === 'HEAD') return head();
    const { searchParams } = new URL(request.url, 'http://internal');
    const returnTo = searchParams.get('return_to');
    // Only once, because a proxy may replace the host.
    if (isOtherHost(request) && !searchParams.has('redirected')) {
      const path = pending.path(returnTo);
      return redirect(`${baseUrl}${startPath}?return_to=${encodeURIComponent(path)}&redirected=1`);
    }
    const waitSeconds = limit(requestContext(request).clientAddress);
    if (waitSeconds > 0) return tooMany(waitSeconds);
    try {
      const begun = await service.begin(returnTo);
      return redirect(begun.url, [begun.cookie]);
    } catch (error) {
      return showError(error, pending.path(returnTo), {});
    }
  };

  const finish = async (request: Request): Promise<Response> => {
    if (request.method === 'HEAD') return head();
    const begun = pending.read(request);
    const cleared = { 'set-cookie': pending.clear() };
    if (!begun) return show(400, startAgainPage(name), cleared);
    const waitSeconds = limit(requestContext(request).clientAddress);
    if (waitSeconds > 0) return tooMany(waitSeconds);
    try {
      const principal = await gate.recheck(request);
      const isPerson = principal?.credential.kind === 'session';
      const person = {
        accountId: isPerson ? principal.accountId : undefined,
        clientInfo: clientInfo(request, principal),
      };
      const token = await service.finish(new URL(request.url, 'http://internal').search, begun, person);
      return redirect(begun.to, [pending.clear(), ...(token === undefined ? [] : [cookie.set(token)])]);
    } catch (error) {
      return showError(error, begun.to, cleared);
    }
  };

  const hidden = { detail: { hide: true } };
  return new Elysia()
    .get(startPath, ({ request }) => start(request), hidden)
    .get(callbackPath, ({ request }) => finish(request), hidden);
}
