/* POST /api/events/{id}/replay, /api/endpoints/{id}/attempts */
import { parseExactJson } from '../../core/json/exact.ts';
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { IdParams, responses } from '../../http/schemas.ts';
import { AcceptedAttempts, ReplayAnswer, ReplayRequest, ReportedAttempts } from './model.ts';
import type { ReplaysService } from './service.ts';

export const replaysRoutes = ({ gate, replays }: { gate: Gate; replays: ReplaysService }) =>
  routesOf(gate, '/api', 'Events')
    .post(
      '/events/:id/replay',
      ({ principal, params, body, request }) => {
        const via = principal.credential.kind === 'session' ? 'dashboard' : 'api';
        return replays.replay(principal, params.id, { ...body, via }, request.signal);
      },
      {
        ...jsonInput(ReplayRequest, { parse: parseExactJson }),
        params: IdParams,
        response: responses({ 200: ReplayAnswer }, 400, 403, 404, 502),
        ...operation({
          operationId: 'replayEvent',
          permission: 'replay',
          audit: {
            action: ({ dryRun }) => (dryRun ? null : 'event.replayed'),
            // Without a response of the destination, the attempt is recorded all the same.
            alsoAfter: [502],
          },
          summary: 'Send an event again',
          description:
            'Sends the original method, headers and body to `url`, with `x-service-replay` added. An error status of the destination is not an error of this operation: see `ok` and `status`. A destination is refused with 400 when one of its addresses is not public, or when its port belongs to a protocol other than HTTP (22, 25, 53, 110, 143, 389, 445, 3306, 5432, 6379, 11211, 27017 and others, all listed in docs/replay.md). The operator can allow both with HOOKTAPE_REPLAY_ALLOW, a port with an entry `host:port`. `edit` changes the body or headers, with `x-hooktape-edited: 1` added; `sign` signs as the platform does, with a fresh time: 400 and a text that begins with `cannot_sign:` when that is not possible, 403 when a stored secret may not sign this. Apps may neither edit nor sign. `listener` in place of `url` sends it to a connected listener, such as `hooktape listen` (`GET /api/endpoints/{id}/listeners`), and answers with what its target answered; 502 when none of that name is connected. No stored secret signs for a listener, and apps send nothing to one. `dryRun` answers with the request and sends nothing.',
        }),
      },
    )
    .post(
      '/endpoints/:id/attempts',
      async ({ principal, params, body: { attempts } }) => ({
        accepted: await replays.report(principal, params.id, attempts),
      }),
      {
        ...jsonInput(ReportedAttempts),
        params: IdParams,
        response: responses({ 200: AcceptedAttempts }, 400, 403, 404),
        ...operation({
          operationId: 'reportAttempts',
          permission: 'signing',
          audit: 'endpoint.attempts_reported',
          summary: 'Report where events were sent from another machine',
          description:
            'For `hooktape listen`: the attempts stand in the replays of their events, with `via: "listen"`. Events that are gone, or are not of this endpoint, are left out and not counted. For a person or an API key, never an app.',
        }),
      },
    );
