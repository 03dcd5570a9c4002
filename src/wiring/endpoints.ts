/* Endpoints and their signing secrets. Both are held in memory, because every delivery needs them. */
import { createAnswerVersions } from '../core/answer-version.ts';
import { createGuards } from '../features/endpoints/guards.ts';
import { createEndpointRegistry } from '../features/endpoints/registry.ts';
import { createEndpointsService } from '../features/endpoints/service.ts';
import { createEndpointsStore, createTokensStore } from '../features/endpoints/store.ts';
import { createSecretsService } from '../features/secrets/service.ts';
import { createSecretsStore } from '../features/secrets/store.ts';
import { createVerdicts } from '../features/secrets/verdicts.ts';
import { type Infrastructure, ingestOriginOf } from './infrastructure.ts';
import { createPolicies } from './policies.ts';

/** How often changes made by other processes are loaded. */
const refreshEveryMs = 1_000;

type EndpointsDependencies = {
  infrastructure: Infrastructure;
  onDeleted: () => void;
  onRetentionChanged: () => void;
  onUrlsChanged: () => void;
};

export type WiredEndpoints = ReturnType<typeof wireEndpoints>;

export function wireEndpoints(dependencies: EndpointsDependencies) {
  const { infrastructure, onDeleted, onRetentionChanged, onUrlsChanged } = dependencies;
  const { config, log, clock, random, sealer, redactionKeyOf, every, database, direct, isShared, retentionMs } =
    infrastructure;
  const store = createEndpointsStore(database.db, database.scanDb);
  const tokens = createTokensStore(direct.db);
  const guards = createGuards({
    sealer,
    onUnreadable: endpointId =>
      log.error('the password or token of a guard cannot be opened: its endpoint refuses every credential', {
        endpointId,
      }),
  });
  const policies = createPolicies({ db: direct.db, log, guardOf: guards.endpointGuard, redactionKeyOf });
  const registry = createEndpointRegistry({
    load: async () => policies.addTo(await tokens.listRegistered()),
    now: clock.now,
    monotonic: clock.monotonic,
    limited: direct.captureRead,
    takesAddresses: config.fixedAddresses,
    ...(isShared && {
      lookUp: (token: string) =>
        direct.captureRead(tokens.findRegistered(token).then(found => found && policies.addToOne(found))),
    }),
  });
  const findVersion = createAnswerVersions({ teamVersion: store.teamVersion, clock, random });
  const endpoints = createEndpointsService({
    store,
    tokens,
    registry,
    guards,
    clock,
    random,
    ingestOrigin: ingestOriginOf(infrastructure),
    limits: { free: config.freeEndpoints, pro: config.proEndpoints },
    retentionMs,
    findVersion,
    onDeleted,
    onRetentionChanged,
    onUrlsChanged,
  });

  const secrets = createSecretsService({
    store: createSecretsStore(direct.db),
    sealer,
    clock,
    random,
    endpoint: endpoints.owned,
    onUnreadable: secretId => log.error('a stored signing secret cannot be opened', { secretId }),
  });
  const verdicts = createVerdicts({
    secretsOf: secrets.secretsOf,
    urlOf: endpoints.urlOf,
    tokensAt: registry.tokensAt,
  });

  if (isShared) {
    every(refreshEveryMs, 'refreshing the endpoints', registry.refresh);
    every(refreshEveryMs, 'refreshing the secrets', secrets.refresh);
  }
  return {
    registry,
    endpoints,
    findVersion,
    secrets,
    verdicts,
    tokens,
    guards,
    policies,
    /** Call it before anything else. */
    async readEndpoints(): Promise<void> {
      await Promise.all([registry.refresh(), secrets.refresh()]);
    },
  };
}
