/* Imports of events, for the command. */
import { createImportsService } from '../features/imports/service.ts';
import { createImportsStore, createMarksStore } from '../features/imports/store.ts';
import { verdictOfRedacted } from '../features/secrets/recognition.ts';
import type { CaptureLoad } from '../ingest/capture-rate.ts';
import type { WiredEndpoints } from './endpoints.ts';
import type { WiredEvents } from './events.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { wireIngest } from './ingest.ts';

type ImportsDependencies = WiredEndpoints &
  WiredEvents &
  ReturnType<typeof wireIngest> & { infrastructure: Infrastructure; captureLoad: CaptureLoad };

export function wireImports(dependencies: ImportsDependencies) {
  const { registry, events, search, notifications, insertImported, captureLoad } = dependencies;
  const { database, random } = dependencies.infrastructure;
  const imports = createImportsService({
    store: createImportsStore(database.db),
    marks: createMarksStore(database.client),
    insert: insertImported,
    retentionCutoff: events.retentionCutoff,
    redactionOf: async seq => {
      await registry.upToDate();
      return registry.policyOf({ seq, token: '' })?.redaction;
    },
    verdictOfRedacted,
    isBusy: captureLoad.isWaiting,
    onImported: endpoint => {
      search.wake();
      notifications.imported(endpoint);
    },
    random,
  });
  return { imports };
}
