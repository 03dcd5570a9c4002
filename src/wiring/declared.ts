/* Endpoints that a file declares, with their forwards. */
import { newId } from '../core/ids/ids.ts';
import { createOwnIngestCheck } from '../core/network/hosts.ts';
import { createDeclaredService } from '../features/apply/service.ts';
import { createDeclaredStore } from '../features/apply/store.ts';
import type { AuditService } from '../features/audit/service.ts';
import { createForwardColumns } from '../features/forwards/columns.ts';
import { maxConfirmedSecrets } from '../features/secrets/service.ts';
import type { WiredEndpoints } from './endpoints.ts';
import { type Infrastructure, ingestOriginOf } from './infrastructure.ts';

type DeclaredDependencies = WiredEndpoints & {
  infrastructure: Infrastructure;
  audit: AuditService;
  onDeleted: () => void;
  onRetentionChanged: () => void;
  onUrlsChanged: () => void;
  onForwardsChanged: (ids: readonly string[]) => void;
  /** Resolves once the events that were accepted before are stored. */
  acceptedStored: () => Promise<void>;
};

export function wireDeclared(dependencies: DeclaredDependencies) {
  const { audit, registry, tokens, guards, policies, endpoints, secrets } = dependencies;
  const { onDeleted, onRetentionChanged, onUrlsChanged, onForwardsChanged, acceptedStored } = dependencies;
  const { config, clock, random, sealer, direct, retentionMs, outbound } = dependencies.infrastructure;
  const ingestOrigin = ingestOriginOf(dependencies.infrastructure);
  const forwardColumns = createForwardColumns(sealer, random);
  const isOwnIngest = createOwnIngestCheck({
    urls: () => [config.baseUrl, ingestOrigin()],
    port: config.port,
    isKnownToken: async token =>
      (await registry.find(token)) !== undefined || registry.pausedEndpoint(token) !== undefined,
  });
  const refusalToForward = async (url: string): Promise<string | undefined> =>
    (await isOwnIngest(url))
      ? 'events would go in a circle, because it is an ingest URL of this server'
      : outbound.refusal(url);
  const declared = createDeclaredService({
    store: createDeclaredStore(direct.db),
    tools: {
      retentionLimitMs: plan => retentionMs[plan],
      seal: guards.seal,
      newSecret: given => ({ ...secrets.newSecret(given), learned: false, declared: true }),
      newForwardId: () => newId('fwd', clock.now(), random),
      forwardColumns: forwardColumns.columns,
      newForwardSecret: id => forwardColumns.newSecret({ id, secret: null }, clock.now()).column,
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
    refusalToForward,
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
      // Redaction that the file declares holds from now on.
      await acceptedStored();
      if (removed.length > 0) onDeleted();
      if (isRetentionChanged) onRetentionChanged();
      onUrlsChanged();
      if (forwards.length > 0) onForwardsChanged(forwards);
    },
  });
  return { declared, forwardColumns, isOwnIngest, refusalToForward };
}
