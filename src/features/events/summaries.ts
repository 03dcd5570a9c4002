/* Turns rows of events into summaries, with their verdicts and their places among the attempts of their deliveries. */
import type { ContentReads, Reader } from '../../core/concurrency/content-reads.ts';
import type { IngestAddress } from '../../ingest/capture.ts';
import type { Attempts } from './attempts.ts';
import { toSummary } from './event-json.ts';
import type { EventSummary } from './model.ts';
import type { Verdicts } from './reading.ts';
import { createReadSignatures } from './signatures.ts';
import type { EventsStore, SummaryRow } from './store.ts';

/** @param reader undefined: background work @returns a summary of each row, in their order @throws as `ContentReads.run` */
export type Summarise = (
  endpoint: IngestAddress,
  cutoff: number,
  rows: readonly SummaryRow[],
  reader: Reader | undefined,
) => Promise<EventSummary[]>;

export function createSummaries({
  store,
  verdicts,
  attempts,
  contentReads,
}: {
  contentReads: ContentReads;
  store: Pick<EventsStore, 'rowsWithContent'>;
  verdicts: Verdicts;
  attempts: Pick<Attempts, 'placesOf'>;
}): Summarise {
  const readSignatures = createReadSignatures({ store, verdicts, contentReads });
  return async (endpoint, cutoff, rows, reader) => {
    if (rows.length === 0) return [];
    const [signatures, places] = await Promise.all([
      readSignatures(endpoint, cutoff, rows, reader),
      attempts.placesOf({ endpoint: endpoint.seq, since: cutoff }, rows),
    ]);
    return rows.map((row, i) => toSummary(row, { signature: signatures[i], delivery: places.get(row.seq) }));
  };
}
