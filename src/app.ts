/* Every route of the Elysia app on one screen. Ingest is not among them: see front.ts. */
import { Elysia } from 'elysia';
import { accountRoutes } from './features/accounts/routes.ts';
import { appsRoutes } from './features/apps/routes.ts';
import { endpointsRoutes } from './features/endpoints/routes.ts';
import { eventsRoutes } from './features/events/routes.ts';
import { exportsRoutes } from './features/exports/routes.ts';
import { keysRoutes } from './features/keys/routes.ts';
import { mcpRoutes } from './features/mcp/routes.ts';
import { metricsRoutes } from './features/metrics/routes.ts';
import { notificationsRoutes } from './features/notifications/routes.ts';
import { oauthRoutes } from './features/oauth/routes.ts';
import { replaysRoutes } from './features/replays/routes.ts';
import { secretsRoutes } from './features/secrets/routes.ts';
import { sessionsRoutes } from './features/sessions/routes.ts';
import { setupRoutes } from './features/setup/routes.ts';
import { teamsRoutes } from './features/teams/routes.ts';
import { dashboardRoutes } from './http/dashboard/routes.ts';
import { createDeclaredOnly, type DeclaredRoute } from './http/declared-only.ts';
import { docsRoutes } from './http/docs.ts';
import { createErrorHandler } from './http/errors.ts';
import { answerHeadRequests } from './http/head-requests.ts';
import { healthRoutes } from './http/health.ts';
import { describeApi, type RouteInfo } from './http/openapi.ts';
import { countRequests } from './http/request-metrics.ts';
import type { Services } from './wiring.ts';

export type App = { fetch: (request: Request) => Response | Promise<Response> };

export function createApp(services: Services): App {
  const { gate, config, onRequestError } = services;
  // standardHostname: Elysia would take a path apart wrongly behind a Host shorter than four characters.
  // normalize: its copies of what is answered lose a header or JSON key called __proto__.
  let routes: readonly DeclaredRoute[] = [];
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .onRequest(gate.check)
    .onRequest(createDeclaredOnly(() => routes))
    .onError(createErrorHandler(onRequestError))
    .use(accountRoutes(services))
    .use(endpointsRoutes(services))
    .use(eventsRoutes(services))
    .use(replaysRoutes(services))
    .use(exportsRoutes(services))
    .use(keysRoutes(services))
    .use(appsRoutes(services))
    .use(oauthRoutes(services))
    .use(mcpRoutes(services))
    .use(secretsRoutes(services))
    .use(notificationsRoutes(services))
    .use(sessionsRoutes(services))
    .use(setupRoutes(services))
    .use(teamsRoutes(services));
  const described = app.routes as unknown as RouteInfo[];
  app
    .use(docsRoutes(() => describeApi(described, config.baseUrl, services.cookie.name)))
    .use(healthRoutes(services))
    .use(metricsRoutes(services))
    .use(dashboardRoutes());
  ({ routes } = app);
  const fetch = answerHeadRequests(app.fetch);
  return { fetch: countRequests({ fetch, routes }, services.metrics.request, services.clock.monotonic) };
}
