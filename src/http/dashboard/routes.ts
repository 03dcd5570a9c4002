/* Serves the dashboard. Its files are loaded at the first request, so that tests and commands do not pay for them. */
import { Elysia } from 'elysia';
import { notFound } from '../../core/errors.ts';
import { methodNotAllowed } from '../declared-only.ts';
import { type Assets, loadAssets } from './assets.ts';

export function dashboardRoutes(load: () => Promise<Assets> = loadAssets) {
  let assets: Promise<Assets> | undefined;
  const serve = async ({ request }: { request: Request }): Promise<Response> => {
    assets ??= load();
    const { pathname } = new URL(request.url, 'http://internal');
    const asset = (await assets)(pathname, request.headers.get('accept-encoding'));
    if (!asset) throw notFound('page');
    if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed(['GET']);
    return new Response(asset.body, asset);
  };
  // Deliveries never reach the app, so this handles only paths without a route.
  return new Elysia().get('/', serve).get('/*', serve).all('/*', serve, { parse: 'none' });
}
