/*
 * `/metrics`: with HOOKTAPE_METRICS_TOKEN for whoever bears it, without it for this machine alone. What comes through a
 * proxy on this machine comes from elsewhere, and so may what a browser was led to under a foreign name (DNS rebinding).
 */
import { timingSafeEqual } from 'node:crypto';
import { Elysia } from 'elysia';
import { isLoopbackHost } from '../../core/hosts.ts';
import type { BrowserGuard } from '../../http/browser-guard.ts';
import { errorBody } from '../../http/errors.ts';
import { requestContext } from '../../http/fetch-adapter.ts';
import type { MetricsService } from './service.ts';

const proxied = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

const digest = (text: string): Uint8Array => Bun.SHA256.hash(text) as Uint8Array;

/** Digests have one length, so the comparison tells nothing about the token's. */
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
