/* GET /api/endpoints/{id}/stream */
import { routesOf } from '../../http/authenticated.ts';
import { requestContext } from '../../http/fetch-adapter.ts';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { FilterErrorBody, IdParams, responses } from '../../http/schemas.ts';
import { EventStream, StreamQuery } from './model.ts';
import type { NotificationsService } from './service.ts';

export const notificationsRoutes = ({ gate, notifications }: { gate: Gate; notifications: NotificationsService }) =>
  routesOf(gate, '/api/endpoints', 'Endpoints').get(
    '/:id/stream',
    async ({ principal, request, params, query }) => {
      const stream = await notifications.openStream({
        principal,
        endpointId: params.id,
        // A browser that reconnects sends the header, with the query of its first request.
        lastEventId: request.headers.get('last-event-id') ?? query.lastEventId,
        where: query.where,
        recheck: () => gate.recheck(request),
        withChanges: query.changes === 'true',
      });
      requestContext(request).endWithSender(0);
      return new Response(stream, {
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store, no-transform',
          // Without it, proxies that buffer delay events.
          'x-accel-buffering': 'no',
        },
      });
    },
    {
      params: IdParams,
      ...queryOf(StreamQuery),
      response: responses({ 200: EventStream, 400: FilterErrorBody }, 404),
      ...operation({
        operationId: 'streamEvents',
        permission: 'reading',
        compressed: false,
        head: 'stream',
        summary: 'Deliveries as they are stored, as server-sent events',
        description:
          '`Last-Event-ID` resumes after that event, without gaps or repeats. `where` selects events that match a filter.',
      }),
    },
  );
