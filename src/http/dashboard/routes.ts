/* Serves the dashboard. Its files are loaded at the first request, so that tests and commands do not pay for them. */
import { Elysia } from 'elysia';
import { notFound } from '../../core/errors.ts';
import type { SessionCookie } from '../cookie.ts';
import { methodNotAllowed } from '../declared-only.ts';
import { loadAssets } from './assets.ts';

type DashboardRoutesOptions = {
  /** Whether there is no account yet, and this token cannot create it. */
  isWrongSetupToken: (token: string) => Promise<boolean>;
  cookie: SessionCookie;
  /** Starts a session for the person whom a trusted header names. @returns its token */
  signInByHeader: (request: Request) => Promise<string | undefined>;
};

export function dashboardRoutes({ isWrongSetupToken, cookie, signInByHeader }: DashboardRoutesOptions) {
  const isWrongSetupLink = async ({ pathname, searchParams }: URL): Promise<boolean> => {
    const token = pathname === '/setup' ? searchParams.get('token') : null;
    // If it cannot be checked now, the form says so when it is sent.
    return token !== null && isWrongSetupToken(token).catch(() => false);
  };
  const serve = async ({ request }: { request: Request }): Promise<Response> => {
    const url = new URL(request.url, 'http://internal');
    const asset = (await loadAssets())(url.pathname, {
      acceptEncoding: request.headers.get('accept-encoding'),
      isWrongSetupLink: await isWrongSetupLink(url),
    });
    if (!asset) throw notFound('page');
    if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed(['GET']);
    const isPage = request.method === 'GET' && asset.headers['content-type']?.startsWith('text/html');
    // If it fails, the page asks for the session again and shows why.
    const token = isPage ? await signInByHeader(request).catch(() => undefined) : undefined;
    const headers = { ...asset.headers, ...(token !== undefined && { 'set-cookie': cookie.set(token) }) };
    return new Response(asset.body, { status: asset.status, headers });
  };
  // Deliveries never reach the app, so this handles only paths without a route.
  return new Elysia().get('/', serve).get('/*', serve).all('/*', serve, { parse: 'none' });
}
