/* Replays of stored events: by request, in replay jobs, and by forwards. */
import type { TeamAccess } from '../core/access/principal.ts';
import type { CreateSlices } from '../core/concurrency/time-slices.ts';
import type { EndpointsService } from '../features/endpoints/service.ts';
import type { EventsService } from '../features/events/service.ts';
import type { ListenersService } from '../features/listeners/service.ts';
import type { MetricsService } from '../features/metrics/service.ts';
import { createForwardAttempt } from '../features/replays/forward-attempt.ts';
import { createPrepareRequest } from '../features/replays/prepare.ts';
import { createReplaysService } from '../features/replays/service.ts';
import { createReplaysStore } from '../features/replays/store.ts';
import type { SecretsService } from '../features/secrets/service.ts';
import type { SecretVerdicts } from '../features/secrets/verdicts.ts';
import type { Infrastructure } from './infrastructure.ts';

type ReplaysDependencies = {
  infrastructure: Infrastructure;
  endpoints: EndpointsService;
  secrets: SecretsService;
  verdicts: SecretVerdicts;
  events: EventsService;
  createSlices: CreateSlices;
  listeners: ListenersService;
  metrics: MetricsService;
};

export function wireReplays(dependencies: ReplaysDependencies) {
  const { endpoints, secrets, verdicts, events, createSlices, listeners, metrics } = dependencies;
  const { config, clock, database, outbound } = dependencies.infrastructure;
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
  return { replays, forwardAttempt, aboutEvent };
}
