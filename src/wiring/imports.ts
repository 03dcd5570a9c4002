/* Imports of events, for the command. */
import type { EventsService } from '../features/events/service.ts';
import { createMarksStore } from '../features/imports/marks-store.ts';
import { createImportsService } from '../features/imports/service.ts';
import { createImportsStore } from '../features/imports/store.ts';
import type { NotificationsService } from '../features/notifications/service.ts';
import type { SearchService } from '../features/search/service.ts';
import type { CaptureLoad } from '../ingest/capture-rate.ts';
import type { NewEvent } from '../ingest/row-encoder.ts';
import type { Infrastructure } from './infrastructure.ts';

type ImportsDependencies = {
  infrastructure: Infrastructure;
  events: EventsService;
  search: SearchService;
  notifications: NotificationsService;
  insertImported: (events: readonly NewEvent[]) => Promise<unknown>;
  captureLoad: CaptureLoad;
};

export function wireImports(dependencies: ImportsDependencies) {
  const { events, search, notifications, insertImported, captureLoad } = dependencies;
  const { database, random } = dependencies.infrastructure;
  const imports = createImportsService({
    store: createImportsStore(database.db),
    marks: createMarksStore(database.client),
    insert: insertImported,
    retentionCutoff: events.retentionCutoff,
    isBusy: captureLoad.isWaiting,
    onImported: endpoint => {
      search.wake();
      notifications.imported(endpoint);
    },
    random,
  });
  return { imports };
}
