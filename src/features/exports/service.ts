/*
 * An endpoint's history as a file: everything inside the retention window at the moment it was asked for, oldest first,
 * while capture goes on. See history.ts for what happens to events that go meanwhile.
 */
import type { Answer } from '../../core/answer.ts';
import type { Clock } from '../../core/clock.ts';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { AppError } from '../../core/errors.ts';
import { toStream } from '../../core/json/output.ts';
import type { Endpoint } from '../endpoints/model.ts';
import type { EventReader } from '../events/service.ts';
import { writeFile } from './file.ts';
import type { Damaged, ExportedEvent, FileFormat } from './format.ts';
import { harFile } from './har.ts';
import { readHistory } from './history.ts';
import { jsonFile } from './json.ts';
import type { ExportQuery } from './model.ts';
import type { ExportsStore } from './store.ts';

/** Who asks: from the principal. */
export type Exporter = EventReader & { accountId: string };

/** What a text filter is asked about. */
export type Searchable = { eventType: string | null; body: Uint8Array };

export type ExportsService = ReturnType<typeof createExportsService>;

const maxAtOnce = 4;
const formats: Record<NonNullable<ExportQuery['format']>, FileFormat> = { json: jsonFile, har: harFile };

export function createExportsService<Row extends { seq: number; id: string }>(options: {
  store: ExportsStore;
  /** The endpoint of this reader. @throws not_found */
  endpoint: (reader: EventReader, id: string) => Promise<Row>;
  toEndpoint: (row: Row) => Endpoint;
  /** The oldest time of receipt that this reader may still see. */
  since: (reader: EventReader) => number;
  /** The time slices of one export. */
  createSlices: () => YieldIfDue;
  /** What the sender of an event of this endpoint was answered. */
  answer: (endpoint: Row, event: ExportedEvent) => Answer;
  /** The filter that `q` stands for. @throws invalid when the term is too long */
  matcher: (q: string, yieldIfDue: YieldIfDue) => (event: Searchable) => boolean | Promise<boolean>;
  clock: Clock;
  /** Of this program. */
  version: string;
  /** Told of events that an export had to leave out. */
  onDamaged: (endpointId: string, damaged: Damaged) => void;
}) {
  const {
    store,
    endpoint: findEndpoint,
    toEndpoint,
    since,
    createSlices,
    answer,
    matcher,
    clock,
    version,
    onDamaged,
  } = options;
  const semaphore = createSemaphore(maxAtOnce);

  const open = async (exporter: Exporter, id: string, { format = 'json', q = '' }: ExportQuery, onEnd: () => void) => {
    const row = await findEndpoint(exporter, id);
    const stopped = new AbortController();
    const yieldIfDue = createSlices();
    const matches = q === '' ? undefined : matcher(q, yieldIfDue);
    const chunks = writeFile({
      format: formats[format],
      subject: { endpoint: toEndpoint(row), exportedAt: clock.now(), version, answer: event => answer(row, event) },
      history: readHistory({
        store,
        endpoint: row.seq,
        since: since(exporter),
        newest: await store.newest(),
        signal: stopped.signal,
      }),
      matches: ({ row: { eventType }, body }: ExportedEvent) => matches?.({ eventType, body }) ?? true,
      yieldIfDue,
      onDamaged: damaged => onDamaged(row.id, damaged),
    });
    return {
      fileName: `service-${row.id}.${format}`,
      body: toStream(chunks, () => {
        stopped.abort();
        onEnd();
      }),
    };
  };

  return {
    /** @throws rate_limited when the account has too many under way, invalid for the term, not_found */
    async file(
      exporter: Exporter,
      id: string,
      query: ExportQuery,
    ): Promise<{ fileName: string; body: ReadableStream<Uint8Array> }> {
      const release = semaphore.tryAcquire(exporter.accountId);
      if (!release)
        throw new AppError('rate_limited', `at most ${maxAtOnce} exports at once`, { retryAfterSeconds: 5 });
      try {
        return await open(exporter, id, query, release);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
