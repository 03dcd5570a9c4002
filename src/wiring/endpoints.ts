/* Endpoints and their signing secrets. Both are held in memory, because every delivery needs them. */
import { newId } from '../core/ids.ts';
import { createOwnIngestCheck } from '../core/own-ingest.ts';
import { createDeclaredService } from '../features/declared/service.ts';
import { createDeclaredStore } from '../features/declared/store.ts';
import { createGuards } from '../features/endpoints/guards.ts';
import { createEndpointRegistry } from '../features/endpoints/registry.ts';
import { createEndpointsService } from '../features/endpoints/service.ts';
import { createEndpointsStore } from '../features/endpoints/store.ts';
import { createTokensStore } from '../features/endpoints/tokens-store.ts';
import { createSecretsService, maxConfirmedSecrets } from '../features/secrets/service.ts';
import { createSecretsStore } from '../features/secrets/store.ts';
import { createVerdicts } from '../features/secrets/verdicts.ts';
import type { AuditWiring } from './audit.ts';
import { createForwardColumns } from './forward-columns.ts';
import type { Infrastructure } from './infrastructure.ts';
import { createPolicies } from './policies.ts';

/** How often changes made by other processes are loaded. */
const refreshEveryMs = 1_000;

export type EndpointsWiring = ReturnType<typeof createEndpointsWiring>;

export function createEndpointsWiring(
  infrastructure: Infrastructure,
  { audit }: AuditWiring,
  {
    onDeleted,
    onRetentionChanged,
    onForwardsChanged,
  }: { onDeleted: () => void; onRetentionChanged: () => void; onForwardsChanged: (ids: readonly string[]) => void },
) {
  const { config, log, clock, random, sealer, every, database, direct, isShared, retentionMs } = infrastructure;
  const store = createEndpointsStore(database.db, database.scanDb);
  const tokens = createTokensStore(direct.db);
  const guards = createGuards({
    sealer,
    onUnreadable: endpointId =>
      log.error('the password or token of a guard cannot be opened: its endpoint refuses every credential', {
        endpointId,
      }),
  });
  const policies = createPolicies(infrastructure, guards.endpointGuard);
  const registry = createEndpointRegistry({
    load: async () => policies.addTo(await tokens.listRegistered()),
    now: clock.now,
    takesAddresses: config.fixedAddresses,
    ...(isShared && {
      lookUp: async (token: string) => {
        const found = await tokens.findRegistered(token);
        return found && policies.addToOne(found);
      },
    }),
  });
  const endpoints = createEndpointsService({
    store,
    tokens,
    registry,
    guards,
    clock,
    random,
    ingestUrl: config.ingestUrl ?? config.baseUrl,
    limits: { free: config.freeEndpoints, pro: config.proEndpoints },
    retentionMs,
    onDeleted,
    onRetentionChanged,
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

  const forwardColumns = createForwardColumns(sealer);
  const isOwnIngest = createOwnIngestCheck({
    urls: [config.baseUrl, ...(config.ingestUrl === undefined ? [] : [config.ingestUrl])],
    port: config.port,
    isKnownToken: async token =>
      (await registry.find(token)) !== undefined || registry.pausedEndpoint(token) !== undefined,
  });
  const declared = createDeclaredService({
    store: createDeclaredStore(direct.db),
    tools: {
      retentionLimitMs: plan => retentionMs[plan],
      seal: guards.seal,
      newSecret: given => ({ ...secrets.newSecret(given), learned: false, declared: true }),
      newForwardId: () => newId('fwd', clock.now(), random),
      forwardColumns: forwardColumns.columns,
    },
    clock,
    random,
    takesAddresses: config.fixedAddresses,
    limits: { free: config.freeEndpoints, pro: config.proEndpoints },
    maxSecrets: maxConfirmedSecrets,
    urlOf: endpoints.urlOf,
    openGuard: guards.open,
    openSecret: secrets.openSecret,
    openForward: row => ({ ...forwardColumns.settings(row), id: row.id, declared: row.declared }),
    isOwnIngest,
    onApplied: async ({ tokens: changed, removed, isRetentionChanged, forwards, lines }) => {
      for (const { action, id, teamId } of lines)
        await audit.recordOfCommand(teamId, `endpoint.${action}`, { type: 'endpoint', id });
      for (const id of removed) registry.removeById(id);
      for (const token of changed) {
        const registered = await tokens.findRegistered(token);
        if (!registered) continue;
        const { policy = {}, ...endpoint } = await policies.addToOne(registered);
        registry.add(endpoint);
        registry.setPolicy(endpoint.seq, () => policy);
        await secrets.reread(registered.seq);
      }
      if (removed.length > 0) onDeleted();
      if (isRetentionChanged) onRetentionChanged();
      if (forwards.length > 0) onForwardsChanged(forwards);
    },
  });

  if (isShared) {
    every(refreshEveryMs, 'refreshing the endpoints', registry.refresh);
    every(refreshEveryMs, 'refreshing the secrets', secrets.refresh);
  }
  return {
    registry,
    endpoints,
    secrets,
    verdicts,
    declared,
    forwardColumns,
    isOwnIngest,
    /** Call it before anything else. */
    async readEndpoints(): Promise<void> {
      await Promise.all([registry.refresh(), secrets.refresh()]);
    },
  };
}
