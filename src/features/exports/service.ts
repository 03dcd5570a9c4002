/*
 * Exports an endpoint's history as a file: the pinned events and all inside the retention window at the time of the request,
 * oldest first. history.ts describes what happens to events that are removed during the export.
 */

import type { MemberAccess, Principal, TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import type { Reader } from '../../core/concurrency/content-reads.ts';
import type { MemoryReservation, MemoryReservations } from '../../core/concurrency/memory-reservations.ts';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import type { DeliveryResponse } from '../../core/delivery-response.ts';
import { invalidAt, tooManyAtOnce } from '../../core/errors.ts';
import type { OwnRetention } from '../../core/events/retention.ts';
import { parseEventId } from '../../core/ids/ids.ts';
import { type StreamHooks, toStream } from '../../core/json/output.ts';
import { maxExportedIds } from '../../shared/limits.ts';
import type { Endpoint } from '../endpoints/model.ts';
import { csvFile } from './csv-format.ts';
import type { DamagedEvents, ExportedEvent, FileFormat } from './file-format.ts';
import { harFile } from './har-format.ts';
import { type PageMemory, readHistory, type SelectEvents } from './history.ts';
import { jsonFile, ndjsonFile } from './json-format.ts';
import { type ExportFormat, type ExportQuery, exportFileName } from './model.ts';
import { scriptFile } from './script-format.ts';
import type { ExportsStore } from './store.ts';
import { writeFile } from './write-file.ts';

/** Without either, all events are exported. */
export type Selection = {
  /** Selects events before their contents are read. */
  select?: SelectEvents | undefined;
  /** Selects events by their content. */
  matches?: ((event: ExportedEvent) => boolean | Promise<boolean>) | undefined;
};

export type ExportsService = ReturnType<typeof createExportsService>;

const maxExportsPerAccount = 4;
const formats: Record<ExportFormat, FileFormat> = {
  json: jsonFile,
  har: harFile,
  ndjson: ndjsonFile,
  csv: csvFile,
  curl: scriptFile,
};

type Who = MemberAccess & Pick<Principal, 'app'>;

export function createExportsService<Row extends { seq: number; id: string } & OwnRetention>(options: {
  store: ExportsStore;
  /** The team's endpoint. @throws not_found */
  endpoint: (principal: Who, id: string) => Promise<Row>;
  toEndpoint: (row: Row) => Endpoint;
  /** The oldest time of receipt that the endpoint still shows. */
  retentionCutoff: (principal: TeamAccess, endpoint: OwnRetention) => number;
  /** The time slices of one export. */
  createSlices: () => YieldIfDue;
  /** The response to the sender of an event. */
  answer: (endpoint: Row, event: ExportedEvent) => DeliveryResponse;
  /** Which events of an endpoint a query selects. @throws invalid for the query */
  readSelection: (
    query: Pick<ExportQuery, 'q' | 'where'>,
  ) => (endpoint: Row, yieldIfDue: YieldIfDue, reader: Reader) => Selection;
  /** Reserves memory for a large event. */
  reserve: MemoryReservations['reserve'];
  clock: Clock;
  /** Hooktape's version. */
  version: string;
  /** Called when an export left out damaged events. */
  onDamaged: (endpointId: string, damaged: DamagedEvents) => void;
}) {
  const { store, endpoint: findEndpoint, toEndpoint, retentionCutoff, createSlices, answer, readSelection } = options;
  const { reserve, clock, version, onDamaged } = options;
  const semaphore = createSemaphore(maxExportsPerAccount);

  const open = async (
    principal: Who,
    id: string,
    { format = 'json', ids, ...query }: ExportQuery,
    onEnd: () => void,
  ) => {
    const selectionIn = readSelection(query);
    const chosen = ids === undefined ? undefined : readIds(ids);
    const row = await findEndpoint(principal, id);
    const cancellation = new AbortController();
    const yieldIfDue = createSlices();
    const reader = { ...principal, signal: cancellation.signal, isPatient: true };
    const { select, matches } = selectionIn(row, yieldIfDue, reader);
    const memory = createPageMemory(bytes => reserve(reader, bytes), reader.signal);
    const chunks = writeFile({
      format: formats[format],
      subject: { endpoint: toEndpoint(row), exportedAt: clock.now(), version, answer: event => answer(row, event) },
      history: readHistory({
        store,
        endpoint: row.seq,
        since: retentionCutoff(principal, row),
        newest: await store.newest(),
        only: chosen && [...chosen.keys()],
        select,
        memory,
        signal: reader.signal,
      }),
      // Row numbers are easy to guess; the rest of an id is not.
      matches: event =>
        (!chosen || chosen.get(event.row.seq)?.includes(event.id) === true) && (matches?.(event) ?? true),
      yieldIfDue,
      onDamaged: damaged => onDamaged(row.id, damaged),
    });
    return {
      fileName: exportFileName(row.id, format),
      body: toStream(
        chunks,
        () => {
          cancellation.abort();
          memory.release();
          onEnd();
        },
        memory.hooks,
      ),
    };
  };

  return {
    /** @throws rate_limited when too many exports of the account are running; invalid for the query; not_found */
    async file(
      principal: Who,
      id: string,
      query: ExportQuery,
    ): Promise<{ fileName: string; body: ReadableStream<Uint8Array> }> {
      const release = semaphore.tryAcquire(principal.accountId);
      if (!release) throw tooManyAtOnce(maxExportsPerAccount, 'exports', 5);
      try {
        return await open(principal, id, query, release);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

/**
 * The memory of the large event that an export writes. A client that stops reading it loses its export while others wait for memory.
 * @param signal aborted when the export ends
 */
function createPageMemory(
  reserve: (bytes: number) => Promise<MemoryReservation>,
  signal: AbortSignal,
): PageMemory & { hooks: StreamHooks } {
  let held: MemoryReservation | undefined;
  return {
    async hold(bytes) {
      const reserved = await reserve(bytes);
      if (signal.aborted) reserved.release();
      signal.throwIfAborted();
      held = reserved;
    },
    release() {
      held?.release();
      held = undefined;
    },
    hooks: {
      onOffered: fail =>
        held?.offered(() =>
          fail(new Error('the client of an export stopped reading a large event while others waited for its memory')),
        ),
      onTaken: () => held?.taken(),
    },
  };
}

/** The ids by row number; text that cannot be an id selects no event. @throws invalid */
function readIds(text: string): Map<number, string[]> {
  const ids = text === '' ? [] : text.split(',');
  if (ids.length > maxExportedIds) throw invalidAt(['ids'], `must have at most ${maxExportedIds} ids`);
  const bySeq = new Map<number, string[]>();
  for (const id of ids) {
    const seq = parseEventId(id)?.seq;
    if (seq !== undefined) bySeq.set(seq, [...(bySeq.get(seq) ?? []), id]);
  }
  return bySeq;
}
