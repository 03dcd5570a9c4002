/*
 * `/metrics`. With HOOKTAPE_METRICS_TOKEN it needs that token; without it only this machine may read it. Requests that a proxy
 * on this machine forwards, or that a browser sends under another host name (DNS rebinding), do not count as local.
 */
import { timingSafeEqual } from 'node:crypto';
import { Elysia } from 'elysia';
import { isLoopbackHost } from '../../core/network/hosts.ts';
import type { BrowserGuard } from '../../http/browser-guard.ts';
import { errorBody } from '../../http/errors.ts';
import { requestContext } from '../../http/fetch-adapter.ts';
import type { MetricsService } from './service.ts';

const proxied = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

const digest = (text: string): Uint8Array => Bun.SHA256.hash(text) as Uint8Array;

/** Compares digests, which all have the same length, so that the timing does not reveal the length of the token. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected));

const isLocal = (request: Request, browserGuard: Pick<BrowserGuard, 'isOwnHost'>): boolean =>
  isLoopbackHost(requestContext(request).clientAddress) &&
  !proxied.some(name => request.headers.has(name)) &&
  browserGuard.isOwnHost(request);

export const metricsRoutes = ({
  metrics,
  config,
  browserGuard,
}: {
  metrics: Pick<MetricsService, 'text' | 'contentType'>;
  config: { metricsToken?: string };
  browserGuard: Pick<BrowserGuard, 'isOwnHost'>;
}) =>
  new Elysia().get('/metrics', async ({ request }) => {
    const { metricsToken } = config;
    if (metricsToken !== undefined) {
      const [, token = ''] = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
      if (!isSame(token, metricsToken))
        return errorBody(401, 'HOOKTAPE_METRICS_TOKEN is needed as a bearer token', {
          'www-authenticate': 'Bearer realm="hooktape metrics"',
        });
    } else if (!isLocal(request, browserGuard))
      return errorBody(403, 'only this machine may read it; set HOOKTAPE_METRICS_TOKEN to let others in');
    return new Response(await metrics.text(), {
      headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
    });
  });
