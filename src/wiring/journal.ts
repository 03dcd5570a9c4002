/* Opens the capture journal of an embedded database, recovers what an earlier process left in it, and starts filing. */
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { RandomBytes } from '../core/ids/ids.ts';
import type { Database } from '../db/database.ts';
import type { Answerer } from '../ingest/answers/answerer.ts';
import type { WriteBatch } from '../ingest/capture.ts';
import { createFiling, type FilingJob, type FilingReport, type KnownSecrets } from '../ingest/journal/filing.ts';
import { createJournal } from '../ingest/journal/journal.ts';
import { createJournalWriter, type Recogniser } from '../ingest/journal/journal-writer.ts';
import { recoverGroups } from '../ingest/journal/recovery.ts';
import { createSegmentFiles, type SegmentFiles, type StoredSegment } from '../ingest/journal/segment-files.ts';
import type { NewEvent } from '../ingest/row-encoder.ts';
import { lastSeqSql, type PackedRows, packRows } from '../ingest/store.ts';
import type { Logger } from '../log.ts';

const segmentBytes = 8 << 20;
/** Larger groups cost less per delivery, but their first delivery waits longer. */
export const journalBatchLimits = { maxRows: 128, maxBytes: 1 << 20 };

export const journalDirectory = (databaseFile: string): string => `${databaseFile}.capture`;

export type JournalOptions = {
  database: Pick<Database, 'client' | 'runWriterJob'>;
  /** The database file. */
  file: string;
  random: RandomBytes;
  monotonic: () => number;
  now: () => number;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** For tests that pause filing or make it fail. */
  beforeFiling: (() => Promise<void>) | undefined;
};

type ReadSecrets = () => Promise<KnownSecrets | undefined>;

/** The journal as the rest of the program uses it. Empty before `open`. */
export function createCaptureJournal(options: JournalOptions) {
  let opened: Awaited<ReturnType<typeof openJournal>> | undefined;
  let onHealed = (): void => {};
  let readSecrets: ReadSecrets = async () => undefined;
  const get = () => {
    if (!opened) throw new Error('the capture journal is not open');
    return opened;
  };
  return {
    /** Recovers the groups of an earlier process and starts to file them. @throws the database's or the file system's error */
    open: async (): Promise<void> => {
      opened = await openJournal(options, { onHealed: () => onHealed(), readSecrets: () => readSecrets() });
    },
    filed: () => opened?.filing.filed(),
    areAllFiled: async (): Promise<boolean> => (await opened?.filing.areAllFiled()) ?? true,
    /** Sets the callback for when filing works again after a failure. */
    whenHealed: (callback: () => void): void => {
      onHealed = callback;
    },
    /** Sets where filing gets the secrets with which it verifies signatures. Call it before `open`. */
    verifyWith: (secrets: ReadSecrets): void => {
      readSecrets = secrets;
    },
    isUnfiled: (seq: number): boolean => opened?.filing.isUnfiled(seq) ?? false,
    /** Whether the backlog is large enough to be filed without waiting for more. */
    isBehind: (): boolean => opened?.filing.isBehind() ?? false,
    backlog: () => opened?.filing.backlog() ?? { rows: 0, bytes: 0, ageMs: 0 },
    /** Why filing has stopped; undefined while it works. */
    failure: (): Error | undefined => opened?.filing.failure(),
    /** @throws the file system's error when deliveries cannot be written */
    checkWritable: async (): Promise<void> => opened?.checkWritable(),
    giveUp: (error: Error): void => opened?.filing.giveUp(error),
    /** Losses and files that need attention, as sentences. */
    problems: (): string[] => get().problems(),
    /** Creates the first segment before the first delivery arrives. */
    prepare: (): void => get().prepare(),
    createWriter: (recogniser: Recogniser, answerer: Answerer): WriteBatch => {
      let write: WriteBatch | undefined;
      return batch => {
        write ??= get().createWriter(recogniser, answerer);
        return write(batch);
      };
    },
    /** Stores rows after every delivery acknowledged before. @throws the database's error */
    insertRows: (events: readonly NewEvent[]): Promise<void> => get().insertRows(events),
    /** Replaces the journal's files (ingest/journal/journal.ts). @throws the file system's error */
    renew: async (): Promise<void> => opened?.renew(),
    /** Files the rest and removes the journal from disk, unless filing fails. */
    close: async (): Promise<void> => opened?.close(),
  };
}

async function openJournal(
  { database, file, random, monotonic, now, log, beforeFiling }: JournalOptions,
  { onHealed, readSecrets }: { onHealed: () => void; readSecrets: ReadSecrets },
) {
  const { client, runWriterJob } = database;
  if (!runWriterJob) throw new TypeError('only an embedded database has a journal');
  const { databaseId, lastSeq } = await readIdentity(client);
  const directory = journalDirectory(file);
  const files = createSegmentFiles({
    directory,
    databaseId,
    segmentBytes,
    random,
    onDamaged: movedTo =>
      log.error('a file of the capture journal is damaged on disk: deliveries in it may be lost', { movedTo }),
  });
  const segments = readOwnSegments(files, { directory, databaseId, now, log });
  const recovered = recoverGroups(segments, lastSeq);
  for (const path of recovered.empty) files.release(path, false);
  const damagedPlaces: { path: string; offset: number }[] = [];
  const reportDamage = (places: readonly { path: string; offset: number }[]): void => {
    if (places.length === 0) return;
    damagedPlaces.push(...places);
    log.error('the capture journal is damaged on disk: deliveries in it are lost', { places });
  };
  reportDamage(recovered.damaged);
  if (recovered.unfiled.length > 0)
    log.info('deliveries of the last run are being moved from the capture journal into the database', {
      deliveries: recovered.unfiled.reduce((total, { count }) => total + count, 0),
    });

  let loggedFailure: string | undefined;
  let sentSecrets: KnownSecrets | undefined;
  const journal = createJournal({ files, nextGroup: recovered.nextGroup, unfiled: recovered.unfiled });
  const filing = createFiling({
    run: async job => {
      await beforeFiling?.();
      const secrets = await readSecrets();
      const isNew = secrets !== undefined && secrets !== sentSecrets;
      const report = await runWriterJob({ ...job, ...(isNew && { secrets }) } satisfies FilingJob, []);
      sentSecrets = secrets;
      return report as FilingReport;
    },
    lastSeq: Math.max(lastSeq, recovered.lastSeq),
    recovered: recovered.unfiled,
    onFiled: journal.filed,
    onLost: ({ damaged, setAside }) => {
      reportDamage(damaged);
      if (setAside.length > 0)
        log.error('the database refused stored deliveries; each is kept in a file', { deliveries: setAside });
    },
    onFailure: cause => {
      // Filing is retried twice a second: a line per attempt would fill the log and the disk.
      const failure = String(cause);
      if (failure !== loggedFailure)
        log.error('stored deliveries cannot be moved into the database; no more are accepted until it works', {
          cause,
        });
      loggedFailure = failure;
      return journal.removeSpares();
    },
    onRecovered: async () => {
      await journal.prepareSpare();
      loggedFailure = undefined;
      log.info('stored deliveries are moved into the database again');
    },
    onHealed,
    monotonic,
  });

  return {
    filing,
    problems: () => [
      ...damagedPlaces.map(
        ({ path, offset }) => `deliveries at byte ${offset} of ${path} were damaged on disk and are lost`,
      ),
      ...keptFiles(directory),
    ],
    checkWritable: journal.checkWritable,
    prepare: (): void => void journal.prepareSpare().catch(() => {}),
    renew: journal.renew,
    createWriter: (recogniser: Recogniser, answerer: Answerer): WriteBatch =>
      createJournalWriter({ journal, filing, recogniser, answerer, monotonic }),
    async insertRows(events: readonly NewEvent[]): Promise<void> {
      const reservation = filing.reserve(events.length);
      let rows: PackedRows;
      try {
        rows = packRows(events, reservation.first);
      } catch (error) {
        // Otherwise filing would wait for these rows forever.
        reservation.cancel();
        throw error;
      }
      await reservation.ready({ rows, first: reservation.first }, rows.bytes.length);
    },
    async close(): Promise<void> {
      await filing.drain();
      await journal.close();
    },
  };
}

/** The id that ties a journal to its database, and the highest row number that was ever stored. */
async function readIdentity(client: Database['client']): Promise<{ databaseId: Uint8Array; lastSeq: number }> {
  const [id, last] = await client.batch(["SELECT value FROM meta WHERE name = 'database-id'", lastSeqSql], 'read');
  return {
    databaseId: new Uint8Array(id?.rows[0]?.[0] as ArrayBuffer),
    lastSeq: Number(last?.rows[0]?.[0] ?? 0),
  };
}

/** Moves the journal of another database aside, such as one replaced by a restored backup: its endpoints differ. */
function readOwnSegments(
  files: SegmentFiles,
  of: Pick<JournalOptions, 'now' | 'log'> & { directory: string; databaseId: Uint8Array },
): StoredSegment[] {
  const { directory, databaseId, now, log } = of;
  const segments = files.readStored();
  if (segments.every(segment => segment.databaseId.equals(databaseId))) return segments;
  const aside = `${directory}.of-another-database-${now()}`;
  if (existsSync(directory)) renameSync(directory, aside);
  log.error('the capture journal belongs to another database and was moved aside', { movedTo: aside });
  return [];
}

/** The files that filing (ingest/journal/filing-job.ts) or an earlier start set aside, as sentences. */
function keptFiles(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).flatMap(name => {
    const path = join(directory, name);
    if (/^refused-\d+\.json$/.test(name)) return [`${path} is a delivery that the database refused`];
    if (name.endsWith('.segment.damaged')) return [`${path} is damaged on disk: deliveries in it may be lost`];
    return [];
  });
}
