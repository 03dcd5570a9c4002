/* Builds the path of a delivery from the ingest address to disk. */
import { fullGC } from 'bun:jsc';
import type { MetricsService } from '../features/metrics/service.ts';
import { mayRecogniseLater, platformsOf, recognise } from '../features/secrets/recognition.ts';
import { createClientAddress } from '../http/client-address.ts';
import type { Answerer } from '../ingest/answers/answerer.ts';
import { createCaptureService } from '../ingest/capture.ts';
import type { CaptureRate } from '../ingest/capture-rate.ts';
import type { Destination } from '../ingest/delivery.ts';
import { createDeliveryBudgets, maxHeldBytes } from '../ingest/delivery-budgets.ts';
import { createDirectWriter, directBatchLimits } from '../ingest/direct-writer.ts';
import { createGarbageCounter } from '../ingest/garbage.ts';
import { createIngest } from '../ingest/ingest.ts';
import type { NewEvent } from '../ingest/row-encoder.ts';
import { createCaptureStore, packRows } from '../ingest/store.ts';
import { deliveryIdOf } from '../platforms/platforms.ts';
import { parseCidr } from '../shared/addresses.ts';
import { createDeliveryEncoder, redact } from './encoders.ts';
import type { WiredEndpoints } from './endpoints.ts';
import type { WiredEvents } from './events.ts';
import type { Infrastructure } from './infrastructure.ts';
import { journalBatchLimits } from './journal.ts';

type IngestDependencies = WiredEndpoints &
  WiredEvents & {
    infrastructure: Infrastructure;
    metrics: MetricsService;
    answerer: Answerer;
    /** Counts the events of each commit. */
    captureRate: CaptureRate;
    /** Called for every event that is stored. */
    onStored: (event: { endpoint: number; seq: number }) => void;
  };

const loopback = ['127.0.0.0/8', '::1/128'].flatMap(range => parseCidr(range) ?? []);

export function wireIngest(dependencies: IngestDependencies) {
  const { infrastructure, registry, endpoints, secrets, notifications, metrics, answerer, captureRate, onStored } =
    dependencies;
  const { config, log, clock, random, database, journal, onError } = infrastructure;
  journal?.verifyWith(secrets.allSecrets);
  const captureStore = createCaptureStore(database.captureBatch);
  const countGarbage = createGarbageCounter(fullGC);
  const importStore = createCaptureStore(statements => database.client.batch(statements, 'write'));
  const capture = createCaptureService({
    writeBatch: journal
      ? journal.createWriter({ platformsOf, mayRecogniseLater, recognise, redact, deliveryIdOf }, answerer)
      : createDirectWriter({
          encode: createDeliveryEncoder(),
          insert: captureStore.insert,
          answerer,
          monotonic: clock.monotonic,
        }),
    ...(journal ? journalBatchLimits : directBatchLimits),
    // Large deliveries waiting for their commit must leave memory for small ones.
    maxQueuedBytes: maxHeldBytes(config.maxBodyBytes),
    random,
    prepare: answerer.prepare,
    destinationOf: address => {
      const { seq, token, isPrevious } = address;
      const policy = registry.policyOf(address);
      const destination: Destination = { seq, url: endpoints.urlOf(token), secrets: secrets.secretsOf(seq) };
      if (isPrevious) destination.sentTo = token;
      if (policy) destination.policy = policy;
      return destination;
    },
    saveLearnedSecret: secrets.learn,
    onStored: event => {
      notifications.recorded(event);
      onStored(event);
    },
    onCommit: (rows, durationMs) => {
      captureRate.stored(rows);
      countGarbage(rows);
      metrics.commit(rows, durationMs);
    },
    onFailure: (cause, refused) => {
      // The journal has logged the cause, and a line per group would fill the log.
      if (!journal?.failure()) log.error('deliveries could not be stored', { refused, cause });
    },
    onError: error => onError(error),
  });

  const clientAddress = createClientAddress(config.trustedProxies);
  // The program of the tunnel runs on this machine, and reports the sender's address last.
  const tunnelClientAddress = createClientAddress(loopback);
  const budgets = createDeliveryBudgets(config.maxBodyBytes);
  // Deliveries have no request id. A delivery that fails gets an id for the log, in a form that no API request has.
  let failedDeliveries = 0;
  const createWith = (addressOf: typeof clientAddress) =>
    createIngest({
      capture,
      findEndpoint: registry.find,
      countIfPaused: endpoints.countIfPaused,
      clientAddress: addressOf,
      maxBodyBytes: config.maxBodyBytes,
      budgets,
      clock,
      onResult: metrics.delivery,
      onError: error => onError(error, { requestId: `in-${(++failedDeliveries).toString(36)}` }),
    });
  return {
    capture,
    clientAddress,
    ingest: createWith(clientAddress),
    /** For deliveries that the tunnel forwards. */
    tunnelIngest: createWith(tunnelClientAddress),
    /** Stores imported events after every delivery acknowledged before. @throws the database's error */
    insertImported: journal
      ? journal.insertRows
      : (events: readonly NewEvent[]) => importStore.insert([packRows(events)]),
    /** Whether deliveries wait to be stored. */
    isWaiting: (): boolean => capture.depth() > 0 || (journal?.isBehind() ?? false),
  };
}
