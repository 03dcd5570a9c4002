/* POST /api/events/{id}/replay (api-contract). */
import { Elysia } from 'elysia';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { answers, IdParams } from '../../http/schemas.ts';
import { ReplayRequest, ReplayResult } from './model.ts';
import type { ReplaysService } from './service.ts';

export const replaysRoutes = ({ gate, replays }: { gate: Gate; replays: ReplaysService }) =>
  new Elysia().post(
    '/api/events/:id/replay',
    ({ request, params, body }) => replays.replay(gate.principal(request), params.id, body.url),
    {
      ...jsonInput(ReplayRequest),
      params: IdParams,
      response: answers({ 200: ReplayResult }, 400, 404, 502),
      detail: {
        operationId: 'replayEvent',
        summary: 'Send an event again',
        description:
          'Sends the original method, headers and body to `url`, with `x-service-replay` added. A destination that answers with an error is not an error here: see `ok` and `status`. Refused with 400: addresses that are not public, and ports of other protocols than HTTP (mail, databases, caches, remote shells); docs/replay.md lists them. The operator opens either with HOOKTAPE_REPLAY_ALLOW, a port by an entry `host:port`.',
        tags: ['Events'],
      },
    },
  );
