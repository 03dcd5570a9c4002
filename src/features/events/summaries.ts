/*
 * Turns rows of events into summaries, with their verdicts and their places among the attempts of their deliveries. Verdicts need
 * the bodies, of which only a few megabytes are in memory at a time, however many large events a page has.
 */
import { groupBySize } from '../../core/blocks/group-by-size.ts';
import type { ContentRead, ContentReads, Reader } from '../../core/concurrency/content-reads.ts';
import { largeBodyBytes } from '../../core/limits.ts';
import type { IngestAddress } from '../../ingest/capture.ts';
import type { Attempts } from './attempts.ts';
import { toSummary } from './event-json.ts';
import type { EventSummary } from './model.ts';
import type { Verdicts, VerifiedSignature } from './reading.ts';
import type { EventsStore, SummaryRow } from './store.ts';

/** The most bytes of bodies in memory at once. A larger body is read alone. */
const maxHeldBytes = 4 << 20;

/** @param reader undefined: background work @returns a summary of each row, in their order @throws as `ContentReads.run` */
export type Summarise = (
  endpoint: IngestAddress,
  cutoff: number,
  rows: readonly SummaryRow[],
  reader: Reader | undefined,
) => Promise<EventSummary[]>;

export function createSummaries(options: {
  contentReads: ContentReads;
  store: Pick<EventsStore, 'rowsWithContent'>;
  verdicts: Verdicts;
  attempts: Pick<Attempts, 'placesOf'>;
}): Summarise {
  const { store, verdicts, attempts, contentReads } = options;
  /**
   * null: the event has no signature; undefined: it was not read, because there is no secret to verify it with, or it is damaged.
   */
  const readSignatures = async (
    endpoint: IngestAddress,
    cutoff: number,
    rows: readonly SummaryRow[],
    reader: Reader | undefined,
  ): Promise<(VerifiedSignature | null | undefined)[]> => {
    const signatures = new Map<number, VerifiedSignature | null>();
    const unverified = (await verdicts.canVerify(endpoint.seq))
      ? rows.filter(({ verdict }) => !verdicts.isFinal(verdict))
      : [];
    const verify = async (read: ContentRead): Promise<void> => {
      for (const group of groupBySize(unverified, maxHeldBytes)) {
        // A damaged event has no verdict, but its page is shown.
        const intact = await store.rowsWithContent(endpoint.seq, cutoff, group, read);
        const verified = await verdicts.verify(endpoint, intact);
        intact.forEach(({ seq }, i) => {
          signatures.set(seq, verified[i] ?? null);
        });
      }
    };
    const hasLarge = unverified.some(({ size }) => size > largeBodyBytes);
    await contentReads.run(hasLarge ? reader : undefined, verify);
    return rows.map(({ seq, verdict }) =>
      signatures.has(seq) ? signatures.get(seq) : verdicts.storedVerdict(verdict),
    );
  };
  return async (endpoint, cutoff, rows, reader) => {
    if (rows.length === 0) return [];
    const [signatures, places] = await Promise.all([
      readSignatures(endpoint, cutoff, rows, reader),
      attempts.placesOf({ endpoint: endpoint.seq, since: cutoff }, rows),
    ]);
    return rows.map((row, i) => toSummary(row, { signature: signatures[i], delivery: places.get(row.seq) }));
  };
}
