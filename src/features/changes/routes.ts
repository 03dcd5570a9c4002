/* GET /api/endpoints/{id}/changes */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { IdParams, responses } from '../../http/schemas.ts';
import { ChangePage, ChangesQuery } from './model.ts';
import type { ChangesService } from './service.ts';

export const changesRoutes = ({ gate, changes }: { gate: Gate; changes: ChangesService }) =>
  routesOf(gate, '/api/endpoints', 'Endpoints').get(
    '/:id/changes',
    ({ principal, params, query }) => changes.page(principal, params.id, query),
    {
      params: IdParams,
      ...queryOf(ChangesQuery),
      response: responses({ 200: ChangePage }, 400, 403, 404),
      ...operation({
        operationId: 'listChanges',
        // It has parts of the audit log.
        permission: 'team',
        summary: 'What changed about an endpoint, and who changed it',
        description:
          'Changes of its secrets, answers, forwards, alerts, guard and settings, from the audit log, and of the schemas of its events, newest first. For every member of the team.',
      }),
    },
  );
