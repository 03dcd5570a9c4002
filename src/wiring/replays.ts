/* Replays of stored events: by request, in replay jobs, by forwards, and by listeners such as `hooktape listen`. */
import type { TeamAccess } from '../core/access/principal.ts';
import { createConnections } from '../features/listeners/connections.ts';
import { createReplaysWriter } from '../features/listeners/replays-stream.ts';
import { createListenersService } from '../features/listeners/service.ts';
import { createForwardAttempt } from '../features/replays/forward-attempt.ts';
import { createPrepareRequest } from '../features/replays/prepare.ts';
import { createReplaysService } from '../features/replays/service.ts';
import { createReplaysStore } from '../features/replays/store.ts';
import type { CoreServices } from './core.ts';

export function wireReplays(core: CoreServices) {
  const { endpoints, secrets, verdicts, events, createSlices, metrics } = core;
  const { config, clock, random, database, outbound } = core;
  const listeners = createListenersService({
    connections: createConnections({ clock, random }),
    clock,
    endpoint: endpoints.owned,
    summaries: events.listBySeq,
    writeReplays: createReplaysWriter({ createSlices }),
  });
  const prepare = createPrepareRequest({
    signersOf: secrets.signersOf,
    verifyWith: ({ row, token, ...content }, secret) =>
      verdicts.verifyWith({ seq: row.endpoint, token }, { ...row, ...content }, secret),
    allow: config.replayAllow,
    clock,
  });
  const sending = {
    store: createReplaysStore(database.db),
    prepare,
    send: outbound.send,
    clock,
    createSlices,
    onAttempt: metrics.replay,
  };
  const aboutEvent = async (team: TeamAccess, endpointId: string, id: string) => ({
    endpoint: (await endpoints.owned(team, endpointId)).name,
    link: `${config.baseUrl}/app/endpoints/${endpointId}/events/${id}`,
  });
  const forwardAttempt = createForwardAttempt({
    ...sending,
    withStored: events.withStored,
    verdictOf: async ({ row, token, headers, body }) =>
      (await verdicts.verify({ seq: row.endpoint, token }, [{ ...row, headers, body }]))[0]?.verdict ?? 'none',
    aboutEvent,
  });
  const replays = createReplaysService({
    ...sending,
    withStored: events.withStored,
    endpoint: endpoints.owned,
    sendToListener: listeners.send,
    isUnsigned: verdict => verdicts.storedVerdict(verdict) === null,
    timeoutMs: config.replayTimeoutMs,
  });
  return { listeners, replays, forwardAttempt, aboutEvent };
}
