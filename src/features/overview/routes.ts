/* GET /api/overview and /api/stats */
import { routesOf } from '../../http/authenticated.ts';
import { unlessUnchanged } from '../../http/conditional.ts';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { responses } from '../../http/schemas.ts';
import { Overview, OverviewQuery, Stats } from './model.ts';
import type { OverviewService } from './service.ts';

export const overviewRoutes = ({ gate, overview }: { gate: Gate; overview: OverviewService }) =>
  routesOf(gate, '/api', 'Endpoints')
    .get(
      '/overview',
      async ({ principal, query, request, set }) =>
        unlessUnchanged({ request, set }, await overview.version(principal, query), () =>
          overview.page(principal, query),
        ),
      {
        ...queryOf(OverviewQuery),
        response: responses({ 200: Overview }, 400, 403),
        ...operation({
          operationId: 'getOverview',
          // It shows which alerts have fired.
          permission: 'alerts',
          summary: 'The endpoints that need attention first',
          description:
            'All endpoints of the team by their latest trouble, then by their last event, then, without any, the newest first. No page repeats an endpoint, even if something happens to it meanwhile. `If-None-Match` with the ETag: 304 while nothing has changed.',
        }),
      },
    )
    .get('/stats', ({ principal }) => overview.stats(principal), {
      response: responses({ 200: Stats }, 403),
      ...operation({
        operationId: 'getStats',
        permission: 'alerts',
        summary: 'The team in a few numbers',
        description: 'For status pages and home dashboards. A read-only key is enough.',
      }),
    });
