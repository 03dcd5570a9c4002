/* What is known about the bodies of each event type, learned in the background. */
import { createSchemaLearner } from '../features/schemas/learning.ts';
import { createLearningStore } from '../features/schemas/learning-store.ts';
import { createSchemasService, maxChangesPerEndpoint } from '../features/schemas/service.ts';
import { createSchemasStore } from '../features/schemas/store.ts';
import type { CaptureLoad } from '../ingest/capture-rate.ts';
import type { WiredEndpoints } from './endpoints.ts';
import type { WiredEvents } from './events.ts';
import type { Infrastructure } from './infrastructure.ts';

/** Who asks for schemas wakes the learner, too. More often would write more to the disk of a server with few deliveries. */
const learnEveryMs = 30_000;

type SchemasDependencies = WiredEndpoints & WiredEvents & { infrastructure: Infrastructure; captureLoad: CaptureLoad };

export function wireSchemas(dependencies: SchemasDependencies) {
  const { endpoints, background, createSlices, captureLoad } = dependencies;
  const { database, clock, every } = dependencies.infrastructure;
  const learner = createSchemaLearner({
    store: createLearningStore(database, maxChangesPerEndpoint),
    addJob: background.add,
    monotonic: clock.monotonic,
    isBusy: () => captureLoad.isWaiting() || captureLoad.isHigh(),
    createSlices,
  });
  every(learnEveryMs, 'waking the learning of schemas', learner.wake);
  const schemas = createSchemasService({
    store: createSchemasStore(database.db),
    endpoint: endpoints.owned,
    catchUp: learner.catchUp,
  });
  return { schemas, schemaLearner: learner };
}
