/*
 * An endpoint's history as a file: everything inside the retention window at the moment it was asked for, oldest first,
 * while capture goes on. See history.ts for what happens to events that go meanwhile.
 */
import type { Answer } from '../../core/answer.ts';
import type { Clock } from '../../core/clock.ts';
import { createSlots } from '../../core/concurrency/slots.ts';
import { AppError } from '../../core/errors.ts';
import { toStream } from '../../core/json-output.ts';
import type { MemberAccess, TeamAccess } from '../../core/principal.ts';
import type { Turn } from '../../core/stream-pace.ts';
import type { Endpoint } from '../endpoints/model.ts';
import { writeFile } from './file.ts';
import type { Damaged, ExportedEvent, FileFormat } from './format.ts';
import { harFile } from './har.ts';
import { readHistory } from './history.ts';
import { jsonFile } from './json.ts';
import type { ExportQuery } from './model.ts';
import type { ExportsStore } from './store.ts';

/** What a text filter is asked about. */
export type Searchable = { eventType: string | null; body: Uint8Array };

export type ExportsService = ReturnType<typeof createExportsService>;

const maxAtOnce = 4;
const formats: Record<NonNullable<ExportQuery['format']>, FileFormat> = { json: jsonFile, har: harFile };

export function createExportsService<Row extends { seq: number; id: string }>(options: {
  store: ExportsStore;
  /** @throws not_found for an endpoint of another team */
  endpoint: (principal: TeamAccess, id: string) => Promise<Row>;
  toEndpoint: (row: Row) => Endpoint;
  /** The oldest time of receipt that the principal may still see. */
  since: (principal: TeamAccess) => number;
  /** The turns of one export. */
  turns: () => Turn;
  /** What the sender of an event of this endpoint was answered. */
  answer: (endpoint: Row, event: ExportedEvent) => Answer;
  /** The filter that `q` stands for. @throws invalid when the term is too long */
  matcher: (q: string, turn: Turn) => (event: Searchable) => boolean | Promise<boolean>;
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
    turns,
    answer,
    matcher,
    clock,
    version,
    onDamaged,
  } = options;
  const slots = createSlots(maxAtOnce);

  const open = async (
    principal: MemberAccess,
    id: string,
    { format = 'json', q = '' }: ExportQuery,
    onEnd: () => void,
  ) => {
    const row = await findEndpoint(principal, id);
    const stopped = new AbortController();
    const turn = turns();
    const matches = q === '' ? undefined : matcher(q, turn);
    const chunks = writeFile({
      format: formats[format],
      subject: { endpoint: toEndpoint(row), exportedAt: clock.now(), version, answer: event => answer(row, event) },
      history: readHistory({
        store,
        endpoint: row.seq,
        since: since(principal),
        newest: await store.newest(),
        signal: stopped.signal,
      }),
      matches: ({ row: { eventType }, body }: ExportedEvent) => matches?.({ eventType, body }) ?? true,
      turn,
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
      principal: MemberAccess,
      id: string,
      query: ExportQuery,
    ): Promise<{ fileName: string; body: ReadableStream<Uint8Array> }> {
      const giveBack = slots.take(principal.accountId);
      if (!giveBack)
        throw new AppError('rate_limited', `at most ${maxAtOnce} exports at once`, { retryAfterSeconds: 5 });
      try {
        return await open(principal, id, query, giveBack);
      } catch (error) {
        giveBack();
        throw error;
      }
    },
  };
}
