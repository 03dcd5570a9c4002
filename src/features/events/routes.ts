/* /api/events (api-contract; raw: interface "API beyond the contract"). */
import { Elysia } from 'elysia';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { Bytes, IdParams, responses } from '../../http/schemas.ts';
import { EventDetail, EventListQuery, EventPage } from './model.ts';
import type { EventsService } from './service.ts';

const tags = ['Events'];
const json = { 'content-type': 'application/json;charset=utf-8' };

export const eventsRoutes = ({ gate, events }: { gate: Gate; events: EventsService }) =>
  new Elysia()
    .get('/api/events', ({ request, query }) => events.list(gate.principal(request), query, request.signal), {
      ...queryOf(EventListQuery),
      response: responses({ 200: EventPage }, 400, 404),
      detail: {
        operationId: 'listEvents',
        summary: 'An endpoint’s events, newest first',
        description:
          'To read the next page, pass `nextCursor` as `cursor`; it is null on the last page. `q` selects events whose type or payload contains the text.',
        tags,
      },
    })
    .get(
      '/api/events/:id',
      async ({ request, params }) => {
        const event = await events.event(gate.principal(request), params.id, request.signal);
        // Elysia sends any Response as it is, although its types want what the schema says.
        return event instanceof ReadableStream ? (new Response(event, { headers: json }) as never) : event;
      },
      {
        params: IdParams,
        response: responses({ 200: EventDetail }, 404),
        detail: {
          operationId: 'getEvent',
          summary: 'One event in full',
          description: 'Headers, query, body, the verdict on its signature, and the latest replays.',
          tags,
        },
      },
    )
    .get(
      '/api/events/:id/raw',
      async ({ request, params }) =>
        attachment(params.id, await events.body(gate.principal(request), params.id, request.signal)),
      {
        params: IdParams,
        response: responses({ 200: Bytes }, 404),
        detail: {
          operationId: 'getEventBody',
          summary: 'The exact body bytes',
          description:
            'The bytes that came off the wire, still encoded if the sender encoded them. Sent as a download.',
          tags,
        },
      },
    );

/** Captured bytes are hostile: never shown by a browser, whatever they are. */
function attachment(id: string, { bytes, body }: Awaited<ReturnType<EventsService['body']>>): Response {
  return new Response(body instanceof ReadableStream ? body : new Uint8Array(body), {
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${id}.bin"`,
      'content-length': String(bytes),
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'no-store',
    },
  });
}
