/* /api/erasures, and which deliveries were erased. */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput, queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { IdParams, responses } from '../../http/schemas.ts';
import type { EndpointsService } from '../endpoints/service.ts';
import { ErasedDeliveries, ErasedDeliveriesQuery, Erasure, ErasureInput } from './model.ts';
import type { ErasuresService } from './service.ts';

type RoutesOptions = { gate: Gate; erasures: ErasuresService; endpoints: Pick<EndpointsService, 'owned'> };

export const erasuresRoutes = ({ gate, erasures, endpoints }: RoutesOptions) =>
  routesOf(gate, '/api', 'Erasures')
    .post(
      '/erasures',
      async ({ principal, body, status }) => {
        const erasure = await erasures.create(principal, body);
        return status(erasure.finishedAt === null ? 202 : 200, erasure);
      },
      {
        ...jsonInput(ErasureInput),
        response: responses({ 200: Erasure, 202: Erasure }, 400, 403, 409),
        ...operation({
          operationId: 'createErasure',
          permission: 'erasures',
          // The service writes the entry when it is done.
          audit: { action: () => null },
          summary: 'Delete every event that has a text; for an owner only',
          description:
            'Deletes the events of the team that have the text in their body, headers, query or path, in any case and with escapes and encodings undone, or the hash that redaction wrote in its place. Pinned events are deleted, too, with all that was kept of them. 202 if it takes more than 5 seconds: ask `GET /api/erasures/{id}`. 409 while the team has an erasure that is not done. The text is kept in memory only.',
        }),
      },
    )
    .get('/erasures/:id', ({ principal, params }) => erasures.find(principal, params.id), {
      params: IdParams,
      response: responses({ 200: Erasure }, 403, 404),
      ...operation({
        operationId: 'getErasure',
        permission: 'erasures',
        summary: 'The state of an erasure; for an owner only',
        description: 'Finished ones are kept for 30 days.',
      }),
    })
    .get(
      '/endpoints/:id/erased-deliveries',
      async ({ principal, params, query }) => {
        const { id } = await endpoints.owned(principal, params.id);
        return { erased: await erasures.erasedDeliveries(id, query.guids ?? '') };
      },
      {
        ...queryOf(ErasedDeliveriesQuery),
        params: IdParams,
        response: responses({ 200: ErasedDeliveries }, 400, 403, 404),
        ...operation({
          operationId: 'listErasedDeliveries',
          permission: 'reading',
          summary: 'Which deliveries an erasure has deleted',
          description:
            'By their `X-GitHub-Delivery`. `hooktape recover` does not ask GitHub for these again. Only keyed hashes are kept, for 7 days.',
        }),
      },
    );
