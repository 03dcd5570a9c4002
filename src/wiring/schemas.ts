/* What is known about the bodies of each event type, learned in the background. */
import { createSchemaLearner } from '../features/schemas/learning.ts';
import { createLearningStore } from '../features/schemas/learning-store.ts';
import { createSchemasService, maxChangesPerEndpoint } from '../features/schemas/service.ts';
import { createSchemasStore } from '../features/schemas/store.ts';
import type { EndpointsWiring } from './endpoints.ts';
import type { CaptureLoad, EventsWiring } from './events.ts';
import type { Infrastructure } from './infrastructure.ts';

/** Who asks for schemas wakes the learner, too. More often would write more to the disk of a server with few deliveries. */
const learnEveryMs = 30_000;

export function createSchemasWiring(
  { database, clock, every }: Infrastructure,
  { endpoints }: EndpointsWiring,
  { background, createSlices }: EventsWiring,
  captureLoad: CaptureLoad,
) {
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

export type SchemasWiring = ReturnType<typeof createSchemasWiring>;
