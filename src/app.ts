/* Every route of the Elysia app on one screen. Deliveries do not pass through it: see front.ts. */
import { type AnyElysia, Elysia } from 'elysia';
import { accountRoutes } from './features/accounts/routes.ts';
import { alertsRoutes } from './features/alerts/routes.ts';
import { answersRoutes } from './features/answers/routes.ts';
import { appsRoutes } from './features/apps/routes.ts';
import { auditRoutes } from './features/audit/routes.ts';
import { changesRoutes } from './features/changes/routes.ts';
import { consumersRoutes } from './features/consumers/routes.ts';
import { deliveriesRoutes } from './features/deliveries/routes.ts';
import { endpointsRoutes } from './features/endpoints/routes.ts';
import { erasuresRoutes } from './features/erasures/routes.ts';
import { eventsRoutes } from './features/events/routes.ts';
import { exportsRoutes } from './features/exports/routes.ts';
import { feedRoutes } from './features/feed/routes.ts';
import { filtersRoutes } from './features/filters/routes.ts';
import { forwardsRoutes } from './features/forwards/routes.ts';
import { keysRoutes } from './features/keys/routes.ts';
import { listenersRoutes } from './features/listeners/routes.ts';
import { mcpRoutes } from './features/mcp/routes.ts';
import { metricsRoutes } from './features/metrics/routes.ts';
import { notificationsRoutes } from './features/notifications/routes.ts';
import { oauthRoutes } from './features/oauth/routes.ts';
import { oidcPageRoutes, oidcRoutes } from './features/oidc/routes.ts';
import { overviewRoutes } from './features/overview/routes.ts';
import { passkeysRoutes } from './features/passkeys/routes.ts';
import { keepingRoutes } from './features/pins-and-tags/routes.ts';
import { redactionRoutes } from './features/redaction/routes.ts';
import { replayJobsRoutes } from './features/replay-jobs/routes.ts';
import { replaysRoutes } from './features/replays/routes.ts';
import { schemasRoutes } from './features/schemas/routes.ts';
import { secretsRoutes } from './features/secrets/routes.ts';
import { sessionsRoutes } from './features/sessions/routes.ts';
import { setupRoutes } from './features/setup/routes.ts';
import { signInLinkRoutes } from './features/sign-in-links/routes.ts';
import { signaturesRoutes } from './features/signatures/routes.ts';
import { teamsRoutes } from './features/teams/routes.ts';
import { testEventsRoutes } from './features/test-events/routes.ts';
import { timelineRoutes } from './features/timeline/routes.ts';
import { totpRoutes } from './features/totp/routes.ts';
import { createRequestAudit } from './http/audit-requests.ts';
import { compressAnswers } from './http/compress.ts';
import { dashboardRoutes } from './http/dashboard/routes.ts';
import { declaredOnly } from './http/declared-only.ts';
import { docsRoutes } from './http/docs.ts';
import { createErrorHandler } from './http/error-handler.ts';
import { answerHeadRequests } from './http/head-requests.ts';
import { createHealth } from './http/health.ts';
import { describeApi } from './http/openapi.ts';
import { countRequests } from './http/request-metrics.ts';
import { createRouteTable, declaredOperations } from './http/route-table.ts';
import type { Services } from './wiring.ts';

/** The REST API. Its type names every operation with its input and responses. */
export type Api = ReturnType<typeof createApi>;

export type App = { fetch: (request: Request) => Response | Promise<Response> };

export function createApi(services: Services) {
  const { gate, alerts, forwards, replayJobs } = services;
  return new Elysia()
    .use(accountRoutes(services))
    .use(endpointsRoutes(services))
    .use(overviewRoutes(services))
    .use(eventsRoutes(services))
    .use(keepingRoutes(services))
    .use(deliveriesRoutes(services))
    .use(timelineRoutes(services))
    .use(filtersRoutes(services))
    .use(answersRoutes(services))
    .use(removal(services))
    .use(changesRoutes(services))
    .use(alertsRoutes({ gate, alerts: alerts.rules }))
    .use(replaysRoutes(services))
    .use(replayJobsRoutes({ gate, replayJobs: replayJobs.service }))
    .use(forwardsRoutes({ gate, forwards: forwards.service, previewForward: forwards.previewRequest }))
    .use(signaturesRoutes(services))
    .use(exportsRoutes(services))
    .use(schemasRoutes(services))
    .use(keysRoutes(services))
    .use(appsRoutes(services))
    .use(secretsRoutes(services))
    .use(testEventsRoutes(services))
    .use(notificationsRoutes(services))
    .use(feedRoutes(services))
    .use(consumersRoutes(services))
    .use(listenersRoutes(services))
    .use(sessionsRoutes(services))
    .use(waysToSignIn(services))
    .use(setupRoutes(services))
    .use(teamsRoutes(services))
    .use(auditRoutes(services));
}

/** They are grouped, because TypeScript follows a chain of plugins only so far. */
const waysToSignIn = (services: Services) =>
  new Elysia().use(totpRoutes(services)).use(passkeysRoutes(services)).use(oidcRoutes(services));

const removal = (services: Services) => new Elysia().use(redactionRoutes(services)).use(erasuresRoutes(services));

export function createApp(services: Services): App {
  const { gate, config, onRequestError } = services;
  const api = createApi(services);
  const health = createHealth(services);
  const match = createRouteTable(() => app.routes);
  const { endpointOfEvent, record } = services.audit;
  const audit = createRequestAudit({ match, actorOf: services.actorOf, endpointOfEvent, record });
  // standardHostname: Elysia would misread the path of a request whose Host is shorter than four characters.
  // normalize: it would copy responses, and a copy loses a header or JSON key called __proto__.
  const app: AnyElysia = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .onRequest(({ request }) => gate.check(request, match(request)))
    .onRequest(({ request }) => declaredOnly(request, match(request)))
    .onError(createErrorHandler(onRequestError))
    .onAfterHandle(({ request, responseValue }) => audit.keepResult(request, responseValue))
    .use(api)
    .use(oauthRoutes(services))
    .use(signInLinkRoutes(services))
    .use(oidcPageRoutes(services))
    .use(mcpRoutes(services))
    .use(
      docsRoutes({
        describe: () => describeApi(api, config.baseUrl, services.cookie.name),
        operations: () => declaredOperations(api.routes),
        baseUrl: config.baseUrl,
      }),
    )
    .get('/healthz', health['/healthz'])
    .get('/readyz', health['/readyz'])
    .use(metricsRoutes(services))
    .use(dashboardRoutes({ ...services, isWrongSetupToken: services.setup.isWrong }));
  const fetch = audit.wrap(compressAnswers(answerHeadRequests(app.fetch, match), match));
  return { fetch: countRequests({ fetch, match }, services.metrics.request, services.clock.monotonic) };
}
