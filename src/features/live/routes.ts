/* GET /api/endpoints/{id}/stream and /activity */
import { Elysia } from 'elysia';
import { authenticated } from '../../http/authenticated.ts';
import { requestContext } from '../../http/fetch-adapter.ts';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { IdParams, responses } from '../../http/schemas.ts';
import { Activity, EventStream, StreamQuery } from './model.ts';
import type { LiveService } from './service.ts';

export const liveRoutes = ({ gate, live }: { gate: Gate; live: LiveService }) =>
  new Elysia({ prefix: '/api/endpoints', tags: ['Endpoints'] })
    .use(authenticated(gate))
    .get(
      '/:id/stream',
      async ({ principal, request, params, query }) => {
        const stream = await live.open({
          principal,
          endpointId: params.id,
          // A browser that reconnects sends the header to the URL of its first request.
          lastEventId: request.headers.get('last-event-id') ?? query.lastEventId,
          recheck: () => gate.recheck(request),
        });
        requestContext(request).endWithSender(0);
        return new Response(stream, {
          headers: {
            'content-type': 'text/event-stream; charset=utf-8',
            'cache-control': 'no-store, no-transform',
            // A buffering proxy would hold events back.
            'x-accel-buffering': 'no',
          },
        });
      },
      {
        params: IdParams,
        ...queryOf(StreamQuery),
        response: responses({ 200: EventStream }, 400, 404),
        detail: {
          operationId: 'streamEvents',
          summary: 'Deliveries as they are stored, as server-sent events',
          description: '`Last-Event-ID` resumes after that event, without gaps or repeats.',
        },
      },
    )
    .get('/:id/activity', ({ principal, params }) => live.activity(principal, params.id), {
      params: IdParams,
      response: responses({ 200: Activity }, 404),
      detail: {
        operationId: 'getActivity',
        summary: 'Deliveries of the last 24 hours, by the hour',
        description: '24 buckets of one hour by the server’s clock; the last one is the current hour.',
      },
    });
