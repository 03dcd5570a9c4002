/* Imports of events, for the command. */

import type { EndpointRegistry } from '../features/endpoints/registry.ts';
import type { EventsService } from '../features/events/service.ts';
import { createMarksStore } from '../features/imports/marks-store.ts';
import { createImportsService } from '../features/imports/service.ts';
import { createImportsStore } from '../features/imports/store.ts';
import type { NotificationsService } from '../features/notifications/service.ts';
import type { SearchService } from '../features/search/service.ts';
import { verdictOfRedacted } from '../features/secrets/recognition.ts';
import type { CaptureLoad } from '../ingest/capture-rate.ts';
import type { NewEvent } from '../ingest/row-encoder.ts';
import type { Infrastructure } from './infrastructure.ts';

type ImportsDependencies = {
  infrastructure: Infrastructure;
  registry: EndpointRegistry;
  events: EventsService;
  search: SearchService;
  notifications: NotificationsService;
  insertImported: (events: readonly NewEvent[]) => Promise<unknown>;
  captureLoad: CaptureLoad;
};

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
