/* Serves the dashboard. Its files are loaded at the first request, so that tests and commands do not pay for them. */
import { Elysia } from 'elysia';
import { notFound } from '../../core/errors.ts';
import { methodNotAllowed } from '../declared-only.ts';
import { type Assets, loadAssets } from './assets.ts';

/** @param isWrongSetupToken whether there is no account yet, and this token cannot create it */
export function dashboardRoutes(isWrongSetupToken: (token: string) => Promise<boolean>) {
  let assets: Promise<Assets> | undefined;
  const isWrongSetupLink = async ({ pathname, searchParams }: URL): Promise<boolean> => {
    const token = pathname === '/setup' ? searchParams.get('token') : null;
    // If it cannot be checked now, the form says so when it is sent.
    return token !== null && isWrongSetupToken(token).catch(() => false);
  };
  const serve = async ({ request }: { request: Request }): Promise<Response> => {
    assets ??= loadAssets();
    const url = new URL(request.url, 'http://internal');
    const asset = (await assets)(url.pathname, {
      acceptEncoding: request.headers.get('accept-encoding'),
      isWrongSetupLink: await isWrongSetupLink(url),
    });
    if (!asset) throw notFound('page');
    if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed(['GET']);
    return new Response(asset.body, asset);
  };
  // Deliveries never reach the app, so this handles only paths without a route.
  return new Elysia().get('/', serve).get('/*', serve).all('/*', serve, { parse: 'none' });
}
