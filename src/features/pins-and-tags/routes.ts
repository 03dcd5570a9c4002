/* /api/events/{id}/pin and /tags, and deleting an event */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, IdParams, Ok, responses } from '../../http/schemas.ts';
import { KeptEvent, PinRequest, TagsRequest } from './model.ts';
import type { KeepingService } from './service.ts';

export const keepingRoutes = ({ gate, keeping }: { gate: Gate; keeping: KeepingService }) =>
  routesOf(gate, '/api/events', 'Events')
    .put('/:id/pin', ({ principal, params, body }) => keeping.pin(principal, params.id, body), {
      ...jsonInput(PinRequest),
      params: IdParams,
      response: responses({ 200: KeptEvent }, 400, 403, 404, 409),
      ...operation({
        operationId: 'pinEvent',
        permission: 'keeping',
        audit: 'event.pinned',
        summary: 'Pin an event, or change its pin',
        description:
          'A pinned event is exempt from retention. A name or note that is not given is removed. A team can pin 1,000 events.',
      }),
    })
    .delete('/:id/pin', ({ principal, params }) => done(keeping.unpin(principal, params.id)), {
      params: IdParams,
      response: responses({ 200: Ok }, 404),
      ...operation({
        operationId: 'unpinEvent',
        permission: 'keeping',
        audit: 'event.unpinned',
        summary: 'Unpin an event',
        description: 'From then on retention applies to it again. An event that is not pinned stays as it is.',
      }),
    })
    .put('/:id/tags', ({ principal, params, body }) => keeping.tag(principal, params.id, body), {
      ...jsonInput(TagsRequest),
      params: IdParams,
      response: responses({ 200: KeptEvent }, 400, 404),
      ...operation({
        operationId: 'tagEvent',
        permission: 'keeping',
        audit: 'event.tagged',
        summary: 'Replace the tags of an event',
        description: 'The tags are shown in the order in which they are given. An empty list removes them.',
      }),
    })
    .delete('/:id', ({ principal, params }) => done(keeping.remove(principal, params.id)), {
      params: IdParams,
      response: responses({ 200: Ok }, 403, 404),
      ...operation({
        operationId: 'deleteEvent',
        permission: 'deletion',
        audit: { action: 'event.deleted', deletesEvent: true },
        summary: 'Delete an event; for an owner only',
        description: 'Also a pinned one. Its replays go with it, and the endpoint’s counters change.',
      }),
    });
