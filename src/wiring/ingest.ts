/* From the ingest address to disk. */

import { createClientAddress } from '../http/client-address.ts';
import { createCaptureService } from '../ingest/capture.ts';
import type { createCaptureRate } from '../ingest/capture-rate.ts';
import { createDeliveryBudgets, maxHeldBytes } from '../ingest/delivery-budgets.ts';
import { createIngest } from '../ingest/ingest.ts';
import { createCaptureStore } from '../ingest/store.ts';
import type { EndpointsWiring } from './endpoints.ts';
import type { EventsWiring } from './events.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { ObservabilityWiring } from './observability.ts';
import { remoteBatchLimits, threadBatchLimits, writeDirectly, writeInThread } from './write-dispatch.ts';

export type IngestWiring = ReturnType<typeof createIngestWiring>;

/** @param captureRate counts the events of each commit */
export function createIngestWiring(
  infrastructure: Infrastructure,
  { registry, endpoints, secrets }: EndpointsWiring,
  { notifications, search }: EventsWiring,
  { metrics }: ObservabilityWiring,
  captureRate: ReturnType<typeof createCaptureRate>,
) {
  const { config, log, clock, random, database, onError } = infrastructure;
  const captureStore = createCaptureStore(statements => database.client.batch(statements, 'write'));
  const { runWriterJob } = database;
  const capture = createCaptureService({
    writeBatch: runWriterJob ? writeInThread(runWriterJob) : writeDirectly(captureStore),
    ...(runWriterJob ? threadBatchLimits : remoteBatchLimits),
    // Large deliveries that wait for their commit leave memory for small ones.
    maxQueuedBytes: maxHeldBytes(config.maxBodyBytes),
    random,
    destinationOf: ({ seq, token }) => ({ seq, url: endpoints.urlOf(token), secrets: secrets.secretsOf(seq) }),
    saveLearnedSecret: secrets.learn,
    onStored: notifications.recorded,
    onSigned: search.recorded,
    onCommit: (rows, durationMs) => {
      captureRate.stored(rows);
      metrics.commit(rows, durationMs);
    },
    onFailure: (cause, refused) => log.error('deliveries could not be stored', { refused, cause }),
    onError: error => onError(error),
  });

  const clientAddress = createClientAddress(config.trustedProxies);
  // Deliveries have no request id. One that fails gets its own for the log, in a form that no API request has.
  let failedDeliveries = 0;
  const ingest = createIngest({
    capture,
    findEndpoint: registry.find,
    clientAddress,
    maxBodyBytes: config.maxBodyBytes,
    budgets: createDeliveryBudgets(config.maxBodyBytes),
    clock,
    onResult: metrics.delivery,
    onError: error => onError(error, { requestId: `in-${(++failedDeliveries).toString(36)}` }),
  });
  return { captureStore, capture, clientAddress, ingest };
}
