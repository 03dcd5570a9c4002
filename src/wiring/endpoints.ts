/* Endpoints, their signing secrets, and what is kept of both in memory because every delivery needs it. */
import { createEndpointRegistry } from '../features/endpoints/registry.ts';
import { createEndpointsService } from '../features/endpoints/service.ts';
import { createEndpointsStore } from '../features/endpoints/store.ts';
import { createSecretsService } from '../features/secrets/service.ts';
import { createSecretsStore } from '../features/secrets/store.ts';
import { createVerdicts } from '../features/secrets/verdicts.ts';
import type { Infrastructure } from './infrastructure.ts';

/** How soon changes that another process made are seen. */
const refreshEveryMs = 1_000;

export type Endpoints = ReturnType<typeof createEndpoints>;

export function createEndpoints(infrastructure: Infrastructure, onDeleted: () => void) {
  const { config, log, clock, random, sealer, every, database, isShared, retentionMs } = infrastructure;
  const store = createEndpointsStore(database.db, database.scanDb);
  const registry = createEndpointRegistry({
    load: store.listRegistered,
    ...(isShared && { lookUp: store.findRegistered }),
  });
  const endpoints = createEndpointsService({
    store,
    registry,
    clock,
    random,
    baseUrl: config.baseUrl,
    limits: { free: config.freeEndpoints, pro: config.proEndpoints },
    retentionMs,
    onDeleted,
  });

  const secrets = createSecretsService({
    store: createSecretsStore(database.db),
    sealer,
    clock,
    random,
    endpoint: endpoints.owned,
    onUnreadable: secretId => log.error('a stored signing secret cannot be opened', { secretId }),
  });
  const verdicts = createVerdicts({ secretsOf: secrets.secretsOf, urlOf: endpoints.urlOf });

  if (isShared) {
    every(refreshEveryMs, 'refreshing the endpoints', registry.refresh);
    every(refreshEveryMs, 'refreshing the secrets', secrets.refresh);
  }
  return {
    registry,
    endpoints,
    secrets,
    verdicts,
    /** Before anything is asked of them. */
    async readEndpoints(): Promise<void> {
      await Promise.all([registry.refresh(), secrets.refresh()]);
    },
  };
}
