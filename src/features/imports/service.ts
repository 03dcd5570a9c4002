/*
 * Imports exported events, in batches that let deliveries go first. An event is a duplicate when a stored one has the same
 * time, method, path, query, headers and body. Of several identical events, as many are added as are missing, so an import
 * can be repeated, also after an interruption.
 */
import { notFound } from '../../core/errors.ts';
import { type ImportedEvent, readEvent } from '../../core/exported-event.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { nonceBytes, type RandomBytes } from '../../core/ids.ts';
import type { TeamAccess } from '../../core/principal.ts';
import { sha256 } from '../../core/sha256.ts';
import type { NewEvent } from '../../ingest/row-encoder.ts';
import type { ImportsStore } from './store.ts';

export type ImportResult = {
  imported: number;
  alreadyThere: number;
  /** Left out, because they are older than the retention window. */
  expired: number;
  /** Left out, because the database does not accept such large rows, as a libSQL server may; absent when 0. */
  tooLarge?: number;
};

export type ImportsService = ReturnType<typeof createImportsService>;

const maxBatchRows = 64;
const maxBatchBytes = 4 << 20;
const maxWaitMs = 50;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Matches the messages of SQLite and of a libSQL server. */
const isTooBig = (error: unknown): boolean => /too big/.test((error as Error).message);

export function createImportsService(options: {
  store: ImportsStore;
  /** Inserts events and updates the endpoints' counters. */
  insert: (events: readonly NewEvent[]) => Promise<unknown>;
  /** The oldest time of receipt that the team's plan still shows. */
  retentionCutoff: (team: TeamAccess) => number;
  /** Whether deliveries are waiting for their commit. */
  isBusy: () => boolean;
  /** Called after events were added. */
  onImported: () => void;
  random: RandomBytes;
}) {
  const { store, insert, retentionCutoff, isBusy, onImported, random } = options;
  // One batch at a time: two imports of the same file must not both find an event missing.
  let lastBatch: Promise<unknown> = Promise.resolve();

  const waitForIngest = async (): Promise<void> => {
    for (let waited = 0; isBusy() && waited < maxWaitMs; waited++) await Bun.sleep(1);
  };

  /** How many events with each identity the endpoint has. */
  const countExisting = async (endpoint: number, events: readonly ImportedEvent[]): Promise<Map<string, number>> => {
    const counts = new Map<string, number>();
    if (events.length === 0) return counts;
    const times = [...new Set(events.map(event => event.receivedAt))];
    const sizes = [...new Set(events.map(event => event.body.length))];
    // A damaged event is not a duplicate: importing a good copy repairs the loss.
    for await (const existing of store.findSimilar(endpoint, times, sizes)) {
      const key = identity({ ...existing, sha256: hex(sha256(existing.body)) });
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  };

  const toRow = (endpoint: number, event: ImportedEvent): NewEvent => ({
    nonce: random(nonceBytes),
    endpoint,
    receivedAt: event.receivedAt,
    method: event.method,
    platform: event.platform,
    eventType: event.eventType,
    // An export contains neither the sender nor the headers that a verdict needs.
    verdict: null,
    sourceIp: '',
    path: event.path,
    query: event.query,
    headersJson: JSON.stringify(event.headers),
    body: event.body,
  });

  /** @returns how many rows were left out because they are too large for the database */
  const insertAccepted = async (rows: readonly NewEvent[]): Promise<number> => {
    await waitForIngest();
    try {
      await insert(rows);
      return 0;
    } catch (error) {
      if (!isTooBig(error)) throw error;
      if (rows.length === 1) return 1;
    }
    // One row is too large: insert the others one by one.
    let tooLarge = 0;
    for (const row of rows) tooLarge += await insertAccepted([row]);
    return tooLarge;
  };

  /** @returns how many events were left out because they are too large for the database */
  const insertAll = async (endpoint: number, events: readonly ImportedEvent[]): Promise<number> => {
    let rows: NewEvent[] = [];
    let bytes = 0;
    let tooLarge = 0;
    const flush = async (): Promise<void> => {
      if (rows.length === 0) return;
      tooLarge += await insertAccepted(rows);
      rows = [];
      bytes = 0;
    };
    for (const event of events) {
      const row = toRow(endpoint, event);
      if (rows.length >= maxBatchRows || bytes + row.body.length > maxBatchBytes) await flush();
      rows.push(row);
      bytes += row.body.length;
    }
    await flush();
    return tooLarge;
  };

  const addBatch = async (endpointId: string, exported: readonly unknown[]): Promise<ImportResult> => {
    const endpoint = await store.endpoint(endpointId);
    if (!endpoint) throw notFound('endpoint');
    const events = exported.map(readEvent);
    const cutoff = retentionCutoff(endpoint);
    const current = events.filter(event => event.receivedAt >= cutoff);
    const existing = await countExisting(endpoint.seq, current);
    const missing = current.filter(event => {
      const key = identity({
        ...event,
        sha256: hex(event.sha256),
        headersJson: JSON.stringify(event.headers satisfies HeaderPair[]),
      });
      const count = existing.get(key) ?? 0;
      if (count > 0) existing.set(key, count - 1);
      return count === 0;
    });
    const tooLarge = await insertAll(endpoint.seq, missing);
    if (missing.length > tooLarge) onImported();
    return {
      imported: missing.length - tooLarge,
      alreadyThere: current.length - missing.length,
      expired: events.length - current.length,
      ...(tooLarge > 0 && { tooLarge }),
    };
  };

  return {
    /**
     * Adds the events that are missing, in order.
     * @param events in the shape of a JSON export; identical ones must be in the same call
     * @throws not_found for the endpoint; invalid for the first wrong event, and then none has been added
     */
    add(endpointId: string, events: readonly unknown[]): Promise<ImportResult> {
      const batch = lastBatch.then(() => addBatch(endpointId, events));
      lastBatch = batch.catch(() => {});
      return batch;
    },
  };
}

type IdentityFields = Pick<ImportedEvent, 'receivedAt' | 'method' | 'path' | 'query'> & {
  sha256: string;
  headersJson: string;
};

const identity = ({ receivedAt, method, path, query, sha256, headersJson }: IdentityFields): string =>
  JSON.stringify([receivedAt, method, path, query, sha256, headersJson]);
