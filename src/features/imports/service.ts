/*
 * Imports exported events, in batches, with precedence for deliveries. An event is a duplicate when a stored one has the same
 * time, method, path, query, headers and body. Of several identical events, only the missing ones are added, so an import can be
 * repeated, even after an interruption. Pins and tags are restored, even on events that exist already.
 */

import type { TeamAccess } from '../../core/access/principal.ts';
import { sha256 } from '../../core/encoding/sha256.ts';
import { inField, notFound, unavailable } from '../../core/errors.ts';
import type { ImportedEvent } from '../../core/events/exported-event.ts';
import type { OwnRetention } from '../../core/events/retention.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { deliveryNumber } from '../../core/ids/delivery-key.ts';
import { nonceBytes, type RandomBytes } from '../../core/ids/ids.ts';
import { maxPinsPerTeam } from '../../core/limits.ts';
import { pick } from '../../core/pick.ts';
import { type EndpointRedaction, mergeRedacted } from '../../core/redaction/model.ts';
import type { NewEvent } from '../../ingest/row-encoder.ts';
import type { RawDelivery } from '../../platforms/engine/model.ts';
import { deliveryIdOf, eventTypeOf } from '../../platforms/platforms.ts';
import type { EventKey, ImportsStore, MarksStore, TargetEndpoint } from './store.ts';

export type ImportResult = {
  imported: number;
  alreadyThere: number;
  /** How many were left out because they are older than the retention. */
  expired: number;
  /** How many were left out because the database refuses rows of that size, as a libSQL server may; absent if 0. */
  tooLarge?: number;
  /** Pins that were left out, because the team has reached its limit; absent if 0. */
  notPinned?: number;
};

/** `nonce`: the nonce of its row. */
type StoredEvent = { nonce: Uint8Array; event: ImportedEvent };

const maxBatchRows = 64;
const maxBatchBytes = 4 << 20;
const maxWaitMs = 50;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Matches the messages of SQLite and of a libSQL server. */
const isTooBig = (error: unknown): boolean => /too big/.test((error as Error).message);

export function createImportsService(options: {
  store: ImportsStore;
  marks: MarksStore;
  /** Inserts events and updates the endpoints' counters. */
  insert: (events: readonly NewEvent[]) => Promise<unknown>;
  /** The oldest time of receipt that the endpoint still shows. Pinned events may be older. */
  retentionCutoff: (team: TeamAccess, endpoint: OwnRetention) => number;
  /** The redaction rules of the endpoint. @throws unavailable */
  redactionOf: (endpoint: number) => Promise<EndpointRedaction | undefined>;
  /** The stored form of the verdict on an event whose signature cannot be verified, JSON. */
  verdictOfRedacted: (delivery: RawDelivery, platform: string | null, receivedAt: number) => string;
  /** Whether deliveries are waiting for their commit. */
  isBusy: () => boolean;
  /** Called after events were added to an endpoint. */
  onImported: (endpoint: number) => void;
  random: RandomBytes;
}) {
  const { store, marks, insert, retentionCutoff, redactionOf, verdictOfRedacted, isBusy, onImported, random } = options;
  // One batch at a time: two imports of the same file must not both find an event missing.
  let lastBatch: Promise<unknown> = Promise.resolve();

  const waitForIngest = async (): Promise<void> => {
    for (let waited = 0; isBusy() && waited < maxWaitMs; waited++) await Bun.sleep(1);
  };

  /** The events of the endpoint, by identity. */
  const findExisting = async (endpoint: number, events: readonly ImportedEvent[]): Promise<Map<string, EventKey[]>> => {
    const found = new Map<string, EventKey[]>();
    if (events.length === 0) return found;
    const times = [...new Set(events.map(event => event.receivedAt))];
    const sizes = [...new Set(events.map(event => event.body.length))];
    // A damaged event is not a duplicate: importing a good copy repairs the loss.
    for await (const existing of store.findSimilar(endpoint, times, sizes)) {
      const key = identity({ ...existing, sha256: hex(sha256(existing.body)) });
      const { receivedAt, nonce } = existing;
      found.set(key, [...(found.get(key) ?? []), { receivedAt, nonce }]);
    }
    return found;
  };

  const toRow = (endpoint: number, { nonce, event }: StoredEvent): NewEvent => {
    const delivery = { ...event, rawHeaders: event.headers };
    const eventType = event.eventType === undefined ? eventTypeOf(delivery, event.platform) : event.eventType;
    return {
      nonce,
      endpoint,
      ...pick(event, 'receivedAt', 'method', 'platform', 'path', 'query', 'body'),
      eventType,
      // An export contains neither the sender nor the headers that a verdict needs.
      verdict: event.redacted && verdictOfRedacted(delivery, event.platform, event.receivedAt),
      sourceIp: '',
      delivery: deliveryNumber({ endpoint, ...event, eventType }, deliveryIdOf(delivery, event.platform)),
      headersJson: JSON.stringify(event.headers),
      outcome: event.outcome ? { ...event.outcome, counts: [] } : undefined,
      redacted: event.redacted ?? undefined,
    };
  };

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
  const insertAll = async (endpoint: number, events: readonly StoredEvent[]): Promise<number> => {
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

  /** Gives events their pins and tags. An expired event that was removed before it got its pin is stored again. */
  const markAll = async (endpoint: TargetEndpoint, events: readonly StoredEvent[]): Promise<void> => {
    const marked = events.filter(({ event }) => event.pin || event.tags.length > 0);
    for (let at = 0; at < marked.length; at += maxBatchRows) {
      const batch = marked.slice(at, at + maxBatchRows);
      const toMarks = ({ nonce, event: { receivedAt, pin, tags } }: StoredEvent) => ({ receivedAt, nonce, pin, tags });
      await waitForIngest();
      const exist = await marks.mark(endpoint, batch.map(toMarks), maxPinsPerTeam);
      const swept = batch.filter(({ event }, i) => exist[i] === false && event.pin);
      if (swept.length === 0) continue;
      await insertAll(endpoint.seq, swept);
      await marks.mark(endpoint, swept.map(toMarks), maxPinsPerTeam);
    }
  };

  /** Leaves out expired events, and pins beyond the team's limit. */
  const choose = async (endpoint: TargetEndpoint, events: readonly ImportedEvent[]) => {
    const cutoff = retentionCutoff(endpoint, endpoint);
    const isKept = ({ receivedAt, pin }: ImportedEvent): boolean => receivedAt >= cutoff || pin !== null;
    const existing = await findExisting(endpoint.seq, events.filter(isKept));
    const hasPins = events.some(({ pin }) => pin);
    let places = hasPins ? maxPinsPerTeam - (await marks.countPins(endpoint.teamId)) : 0;
    const chosen = { missing: [] as StoredEvent[], there: [] as StoredEvent[], expired: 0, notPinned: 0 };
    for (const event of events) {
      const known = existing.get(identityOf(event))?.pop();
      if (known && isKept(event)) {
        chosen.there.push({ nonce: known.nonce, event });
        continue;
      }
      const pin = event.pin && places > 0 ? event.pin : null;
      if (pin) places--;
      else if (event.pin) chosen.notPinned++;
      if (pin || event.receivedAt >= cutoff)
        chosen.missing.push({ nonce: random(nonceBytes), event: { ...event, pin } });
      else chosen.expired++;
    }
    return chosen;
  };

  const addBatch = async (endpointId: string, exported: readonly unknown[]): Promise<ImportResult> => {
    const endpoint = await store.endpoint(endpointId);
    if (!endpoint) throw notFound('endpoint');
    // Loaded for the first import: the start of the server needs no schemas.
    const { readEvent } = await import('../../core/events/exported-event.ts');
    const given = exported.map((event, i) => inField(['events', i], () => readEvent(event)));
    const events = redactAll(given, await redactionOf(endpoint.seq));
    const { missing, there, expired, notPinned } = await choose(endpoint, events);
    const tooLarge = await insertAll(endpoint.seq, missing);
    if (missing.length > tooLarge) onImported(endpoint.seq);
    await markAll(endpoint, [...missing, ...there]);
    return {
      imported: missing.length - tooLarge,
      alreadyThere: there.length,
      expired,
      ...(tooLarge > 0 && { tooLarge }),
      ...(notPinned > 0 && { notPinned }),
    };
  };

  return {
    /** Resolves once the events of calls before are stored or refused. */
    async settled(): Promise<void> {
      await lastBatch;
    },

    /**
     * Adds the events that are missing, in order.
     * @param events in the shape of a JSON export; identical ones must be in the same call
     * @throws not_found for the endpoint; invalid for the first wrong event; then nothing has been added
     */
    add(endpointId: string, events: readonly unknown[]): Promise<ImportResult> {
      const batch = lastBatch.then(() => addBatch(endpointId, events));
      lastBatch = batch.catch(() => {});
      return batch;
    },
  };
}

/** @throws unavailable if the rules cannot be read */
function redactAll(
  events: readonly ImportedEvent[],
  redaction: EndpointRedaction | undefined,
): readonly ImportedEvent[] {
  if (redaction === undefined) return events;
  if (redaction === 'unreadable')
    throw unavailable('the redaction rules of this endpoint cannot be read, so nothing is imported', 60);
  return events.map(event => {
    const { event: left, redacted } = redaction.redact({ ...event, sourceIp: '' });
    if (!redacted) return event;
    return {
      ...event,
      ...pick(left, 'path', 'query', 'body'),
      headers: [...left.headers],
      sha256: sha256(left.body),
      // It is read again from what is left.
      eventType: undefined,
      redacted: mergeRedacted(event.redacted, redacted),
    };
  });
}

type IdentityFields = Pick<ImportedEvent, 'receivedAt' | 'method' | 'path' | 'query'> & {
  sha256: string;
  headersJson: string;
};

const identity = ({ receivedAt, method, path, query, sha256, headersJson }: IdentityFields): string =>
  JSON.stringify([receivedAt, method, path, query, sha256, headersJson]);

const identityOf = (event: ImportedEvent): string =>
  identity({ ...event, sha256: hex(event.sha256), headersJson: JSON.stringify(event.headers satisfies HeaderPair[]) });
