/* GET /api/endpoints/{id}/stream. */
import { Elysia } from 'elysia';
import { requestContext } from '../../http/fetch-adapter.ts';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { answers, IdParams } from '../../http/schemas.ts';
import { EventStream, StreamQuery } from './model.ts';
import type { NotificationsService } from './service.ts';

const tags = ['Endpoints'];

export const notificationsRoutes = ({ gate, notifications }: { gate: Gate; notifications: NotificationsService }) =>
  new Elysia().get(
    '/api/endpoints/:id/stream',
    async ({ request, params, query }) => {
      const stream = await notifications.openStream({
        principal: gate.principal(request),
        endpointId: params.id,
        // A browser that reconnects sends the header, with the query of its first request.
        lastEventId: request.headers.get('last-event-id') ?? query.lastEventId,
        recheck: () => gate.recheck(request),
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
      response: answers({ 200: EventStream }, 400, 404),
      detail: {
        operationId: 'streamEvents',
        summary: 'Deliveries as they are stored, as server-sent events',
        description: '`Last-Event-ID` resumes after that event, without a gap or a repeat.',
        tags,
      },
    },
  );
