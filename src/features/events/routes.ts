/* /api/events */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { download, jsonText } from '../../http/sandboxed.ts';
import { Bytes, FilterErrorBody, IdParams, responses } from '../../http/schemas.ts';
import { EventDetail, EventListQuery, EventPage, ReplayParams } from './model.ts';
import type { EventsService } from './service.ts';

export const eventsRoutes = ({ gate, events }: { gate: Gate; events: EventsService }) =>
  routesOf(gate, '/api/events', 'Events')
    .get('', ({ principal, query, request }) => events.list(principal, query, request.signal, { showsMatched: true }), {
      ...queryOf(EventListQuery),
      response: responses({ 200: EventPage, 400: FilterErrorBody }, 404),
      ...operation({
        operationId: 'listEvents',
        permission: 'reading',
        summary: 'An endpoint’s events, newest first',
        description:
          'To read the next page, pass `nextCursor` as `cursor`; it is null on the last page. `q` selects events whose type or payload contains the text, `where` those that match a filter; a page of a long search may have fewer events than `limit`, or none, and still a `nextCursor`.',
      }),
    })
    .get(
      '/:id',
      async ({ principal, params, request }) => {
        const event = await events.event(principal, params.id, request.signal);
        return event instanceof ReadableStream ? jsonText(event) : event;
      },
      {
        params: IdParams,
        response: responses({ 200: EventDetail }, 404),
        ...operation({
          operationId: 'getEvent',
          permission: 'reading',
          head: 'chunk',
          summary: 'One event in full',
          description: 'Headers, query, body, the verdict on its signature, and the latest replays.',
        }),
      },
    )
    .get(
      '/:id/raw',
      async ({ principal, params, request }) =>
        attachment(params.id, await events.body(principal, params, request.signal)),
      {
        params: IdParams,
        response: responses({ 200: Bytes }, 404),
        ...operation({
          operationId: 'getEventBody',
          permission: 'reading',
          compressed: false,
          head: 'chunk',
          summary: 'The exact body bytes',
          description: 'The body as it was received, still encoded if the sender encoded it. Sent as a download.',
        }),
      },
    )
    .get(
      '/:id/replays/:replayId/request',
      async ({ principal, params, request }) =>
        attachment(params.replayId, await events.body(principal, params, request.signal)),
      {
        params: ReplayParams,
        response: responses({ 200: Bytes }, 404, 410),
        ...operation({
          operationId: 'getReplayRequestBody',
          permission: 'reading',
          head: 'chunk',
          summary: 'The exact body bytes that a replay sent',
          description:
            'For the replays that the event lists; 404 when `request` is null. 410 when what was changed was not kept: an edit larger than 64 KiB, or one with a secret in it. Sent as a download.',
        }),
      },
    );

/** The headers of a download for any kind of body. */
function attachment(id: string, { bytes, body }: Awaited<ReturnType<EventsService['body']>>): Response {
  return download(body instanceof ReadableStream ? body : new Uint8Array(body), `${id}.bin`, {
    'content-type': 'application/octet-stream',
    'content-length': String(bytes),
  });
}
