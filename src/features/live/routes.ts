/* GET /api/endpoints/{id}/stream and /activity. */
import { Elysia } from 'elysia';
import { requestContext } from '../../http/fetch-adapter.ts';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { IdParams, responses } from '../../http/schemas.ts';
import { Activity, EventStream, StreamQuery } from './model.ts';
import type { LiveService } from './service.ts';

const tags = ['Endpoints'];

export const liveRoutes = ({ gate, live }: { gate: Gate; live: LiveService }) =>
  new Elysia()
    .get(
      '/api/endpoints/:id/stream',
      async ({ request, params, query }) => {
        const stream = await live.open({
          follower: gate.principal(request),
          endpointId: params.id,
          // On a reconnect the browser sends the header beside the address of the first connect.
          lastEventId: request.headers.get('last-event-id') ?? query.lastEventId,
          recheck: () => gate.recheck(request),
        });
        requestContext(request).endWithSender(0);
        return new Response(stream, {
          headers: {
            'content-type': 'text/event-stream; charset=utf-8',
            'cache-control': 'no-store, no-transform',
            // Proxies that buffer would hold events back.
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
          description: '`Last-Event-ID` resumes after that event, without a gap or a repeat.',
          tags,
        },
      },
    )
    .get('/api/endpoints/:id/activity', ({ request, params }) => live.activity(gate.principal(request), params.id), {
      params: IdParams,
      response: responses({ 200: Activity }, 404),
      detail: {
        operationId: 'getActivity',
        summary: 'Deliveries of the last 24 hours, by the hour',
        description: '24 buckets of one hour, by the clock of the server; the last one is the running hour.',
        tags,
      },
    });
