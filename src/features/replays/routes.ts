/* POST /api/events/{id}/replay */
import { Elysia } from 'elysia';
import { authenticated } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { IdParams, responses } from '../../http/schemas.ts';
import { ReplayRequest, ReplayResult } from './model.ts';
import type { ReplaysService } from './service.ts';

export const replaysRoutes = ({ gate, replays }: { gate: Gate; replays: ReplaysService }) =>
  new Elysia({ prefix: '/api/events', tags: ['Events'] })
    .use(authenticated(gate))
    .post('/:id/replay', ({ principal, params, body }) => replays.replay(principal, params.id, body.url), {
      ...jsonInput(ReplayRequest),
      params: IdParams,
      response: responses({ 200: ReplayResult }, 400, 404, 502),
      detail: {
        operationId: 'replayEvent',
        summary: 'Send an event again',
        description:
          'Sends the original method, headers and body to `url`, with `x-service-replay` added. An error status of the destination is not an error of this operation: see `ok` and `status`. A destination is refused with 400 when one of its addresses is not public, or when its port belongs to a protocol other than HTTP (22, 25, 53, 110, 143, 389, 445, 3306, 5432, 6379, 11211, 27017 and others, all listed in docs/replay.md). The operator can allow both with HOOKTAPE_REPLAY_ALLOW, a port with an entry `host:port`.',
      },
    });
