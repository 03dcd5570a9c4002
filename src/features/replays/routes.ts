/* POST /api/events/{id}/replay (api-contract). */
import { Elysia } from 'elysia';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { IdParams, responses } from '../../http/schemas.ts';
import { ReplayRequest, ReplayResult } from './model.ts';
import type { ReplaysService } from './service.ts';

export const replaysRoutes = ({ gate, replays }: { gate: Gate; replays: ReplaysService }) =>
  new Elysia().post(
    '/api/events/:id/replay',
    ({ request, params, body }) => replays.replay(gate.principal(request), params.id, body.url),
    {
      ...jsonInput(ReplayRequest),
      params: IdParams,
      response: responses({ 200: ReplayResult }, 400, 404, 502),
      detail: {
        operationId: 'replayEvent',
        summary: 'Send an event again',
        description:
          'Sends the original method, headers and body to `url`, with `x-service-replay` added. A destination that answers with an error is not an error here: see `ok` and `status`. A destination is refused with 400 when one of its addresses is not public, or when its port belongs to another protocol than HTTP (22, 25, 53, 110, 143, 389, 445, 3306, 5432, 6379, 11211, 27017 and others, all listed in docs/replay.md). The operator opens both with HOOKTAPE_REPLAY_ALLOW, a port by an entry `host:port`.',
        tags: ['Events'],
      },
    },
  );
