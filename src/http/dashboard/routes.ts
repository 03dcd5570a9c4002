/* The dashboard's addresses. Its files are read when the first of them is asked for, so that tests and commands do not pay for them. */
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
  // Ingest never comes here, and what is not a file of the dashboard is a 404 like any other.
  return new Elysia().get('/', serve).get('/*', serve).all('/*', serve, { parse: 'none' });
}
