/*
 * Bringing exported events back, in batches that let capture go first. An event is there already when one has the same time,
 * method, path, query, headers and body; of several that are alike as many are added as are missing. So an import can be
 * repeated, also after one that was cut off.
 */
import { notFound } from '../../core/errors.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { nonceBytes, type RandomBytes } from '../../core/ids.ts';
import { type ImportedEvent, readEvent } from '../../core/import/exported-event.ts';
import type { TeamAccess } from '../../core/principal.ts';
import { packContent, unpackIfIntact } from '../../core/stored-content.ts';
import type { NewEvent } from '../../ingest/row-encoder.ts';
import type { ImportsStore } from './store.ts';

export type Imported = {
  imported: number;
  alreadyThere: number;
  /** Older than the retention window: they would be gone at once. */
  expired: number;
  /** Larger than what the database takes as one row, as a libSQL server may say; left out when there are none. */
  tooLarge?: number;
};

export type ImportsService = ReturnType<typeof createImportsService>;

const rowsAtOnce = 64;
const bytesAtOnce = 4 << 20;
const maxWaitMs = 50;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** In the words of SQLite and of a libSQL server. */
const isTooBig = (error: unknown): boolean => /too big/.test((error as Error).message);

export function createImportsService(options: {
  store: ImportsStore;
  /** Capture's own, which keeps the counters. */
  insert: (events: readonly NewEvent[]) => Promise<unknown>;
  preview: (body: Uint8Array) => Uint8Array;
  /** The oldest time of receipt that is inside the retention window. */
  since: (access: TeamAccess) => number;
  /** Whether deliveries are waiting for their commit. */
  busy: () => boolean;
  /** Told after events were added. */
  onImported: () => void;
  random: RandomBytes;
}) {
  const { store, insert, preview, since, busy, onImported, random } = options;
  // One at a time: two imports of the same file must not both find an event missing.
  let turn: Promise<unknown> = Promise.resolve();

  const untilQuiet = async (): Promise<void> => {
    for (let waited = 0; busy() && waited < maxWaitMs; waited++) await Bun.sleep(1);
  };

  /** How many of each the endpoint has. */
  const countExisting = async (endpoint: number, events: readonly ImportedEvent[]): Promise<Map<string, number>> => {
    const counts = new Map<string, number>();
    if (events.length === 0) return counts;
    const times = [...new Set(events.map(event => event.receivedAt))];
    const hashes = [...new Set(events.map(event => hex(event.sha256)))];
    for await (const existing of store.alike(endpoint, times, hashes)) {
      const content = unpackIfIntact(existing);
      // One that the disk has altered is not the same any more: a good copy of it is welcome.
      if (!content) continue;
      const key = identity({ ...existing, headersJson: content.headersJson });
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  };

  const toRow = (endpoint: number, event: ImportedEvent): NewEvent => ({
    nonce: random(nonceBytes),
    endpoint,
    receivedAt: event.receivedAt,
    size: event.body.length,
    ...packContent(event.headers, event.body),
    method: event.method,
    platform: event.platform,
    eventType: event.eventType,
    // Who sent it, and the proof that the header rules take away, are not in an export.
    verdict: null,
    sourceIp: '',
    sha256: event.sha256,
    path: Buffer.from(event.path, 'latin1'),
    query: event.query === null ? null : Buffer.from(event.query, 'latin1'),
    preview: preview(event.body),
  });

  /** @returns how many of them the database does not take for their size */
  const insertWhatFits = async (rows: readonly NewEvent[]): Promise<number> => {
    await untilQuiet();
    try {
      await insert(rows);
      return 0;
    } catch (error) {
      if (!isTooBig(error)) throw error;
      if (rows.length === 1) return 1;
    }
    // Its neighbours are good.
    let tooLarge = 0;
    for (const row of rows) tooLarge += await insertWhatFits([row]);
    return tooLarge;
  };

  /** @returns how many of them the database does not take for their size */
  const addAll = async (endpoint: number, events: readonly ImportedEvent[]): Promise<number> => {
    let rows: NewEvent[] = [];
    let bytes = 0;
    let tooLarge = 0;
    const flush = async (): Promise<void> => {
      if (rows.length === 0) return;
      tooLarge += await insertWhatFits(rows);
      rows = [];
      bytes = 0;
    };
    for (const event of events) {
      const row = toRow(endpoint, event);
      if (rows.length >= rowsAtOnce || bytes + row.content.length > bytesAtOnce) await flush();
      rows.push(row);
      bytes += row.content.length;
    }
    await flush();
    return tooLarge;
  };

  const addBatch = async (endpointId: string, given: readonly unknown[]): Promise<Imported> => {
    const target = await store.target(endpointId);
    if (!target) throw notFound('endpoint');
    const events = given.map(readEvent);
    const oldest = since(target);
    const current = events.filter(event => event.receivedAt >= oldest);
    const there = await countExisting(target.seq, current);
    const missing = current.filter(event => {
      const key = identity({
        ...event,
        sha256: hex(event.sha256),
        headersJson: JSON.stringify(event.headers satisfies HeaderPair[]),
      });
      const left = there.get(key) ?? 0;
      if (left > 0) there.set(key, left - 1);
      return left === 0;
    });
    const tooLarge = await addAll(target.seq, missing);
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
     * @param events as a JSON export has them; alike ones must come in the same batch
     * @throws not_found for the endpoint, invalid for the first event that is wrong, when none has been added
     */
    add(endpointId: string, events: readonly unknown[]): Promise<Imported> {
      const work = turn.then(() => addBatch(endpointId, events));
      turn = work.catch(() => {});
      return work;
    },
  };
}

type Identified = Pick<ImportedEvent, 'receivedAt' | 'method' | 'path' | 'query'> & {
  sha256: string;
  headersJson: string;
};

const identity = ({ receivedAt, method, path, query, sha256, headersJson }: Identified): string =>
  JSON.stringify([receivedAt, method, path, query, sha256, headersJson]);
