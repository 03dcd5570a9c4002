/* The capture journal of an embedded database, filing, and what an earlier process left of both. */
import { existsSync, renameSync } from 'node:fs';
import type { RandomBytes } from '../core/ids.ts';
import type { Database } from '../db/database.ts';
import type { WriteBatch } from '../ingest/capture.ts';
import { createFiling, type FilingJob, type FilingReport } from '../ingest/journal/filing.ts';
import { createJournal } from '../ingest/journal/journal.ts';
import { createJournalWriter, type Recogniser } from '../ingest/journal/journal-writer.ts';
import { recoverGroups } from '../ingest/journal/recovery.ts';
import { createSegmentFiles, type SegmentFiles, type StoredSegment } from '../ingest/journal/segment-files.ts';
import type { NewEvent } from '../ingest/row-encoder.ts';
import { lastSeqSql, packRows } from '../ingest/store.ts';
import type { Logger } from '../log.ts';

const segmentBytes = 8 << 20;
/** A group is one write. Larger ones cost less, but the sender of their first delivery waits longer. */
export const journalBatchLimits = { maxRows: 128, maxBytes: 1 << 20 };

export const journalDirectory = (databaseFile: string): string => `${databaseFile}.capture`;

export type JournalOptions = {
  database: Pick<Database, 'client' | 'runWriterJob'>;
  /** Of the database. */
  file: string;
  random: RandomBytes;
  monotonic: () => number;
  now: () => number;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
};

/**
 * The journal as the rest of the program uses it. Before `open` there is nothing in it.
 */
export function createCaptureJournal(options: JournalOptions) {
  let opened: Awaited<ReturnType<typeof openJournal>> | undefined;
  const get = () => {
    if (!opened) throw new Error('the capture journal is not open');
    return opened;
  };
  return {
    /** Reads what an earlier process left, and begins to file it. @throws the database's or the file system's error */
    open: async (): Promise<void> => {
      opened = await openJournal(options);
    },
    filed: () => opened?.filing.filed(),
    isUnfiled: (seq: number): boolean => opened?.filing.isUnfiled(seq) ?? false,
    backlog: () => opened?.filing.backlog() ?? { rows: 0, bytes: 0, ageMs: 0 },
    /** Why filing has stopped; undefined while it works. */
    failure: (): Error | undefined => opened?.filing.failure(),
    giveUp: (error: Error): void => opened?.filing.giveUp(error),
    /** Makes the first segment ahead of the first delivery. */
    prepare: (): void => get().prepare(),
    createWriter: (recogniser: Recogniser): WriteBatch => {
      let write: WriteBatch | undefined;
      return batch => {
        write ??= get().createWriter(recogniser);
        return write(batch);
      };
    },
    /** Stores rows after everything that was acknowledged before. @throws the database's error */
    insertRows: (events: readonly NewEvent[]): Promise<void> => get().insertRows(events),
    /** Files what is left. Then nothing of the journal is on disk, unless filing fails. */
    close: async (): Promise<void> => opened?.close(),
  };
}

async function openJournal({ database, file, random, monotonic, now, log }: JournalOptions) {
  const { client, runWriterJob } = database;
  if (!runWriterJob) throw new TypeError('only an embedded database has a journal');
  const { databaseId, lastSeq } = await readIdentity(client);
  const directory = journalDirectory(file);
  const files = createSegmentFiles({ directory, databaseId, segmentBytes, random });
  const segments = readOwnSegments(files, { directory, databaseId, now, log });
  const recovered = recoverGroups(segments, lastSeq);
  for (const path of recovered.empty) files.release(path, false);
  if (recovered.damaged.length > 0)
    log.error('the capture journal is damaged on disk: deliveries in it are lost', { places: recovered.damaged });
  if (recovered.unfiled.length > 0)
    log.info('deliveries of the last run are being moved from the capture journal into the database', {
      deliveries: recovered.unfiled.reduce((total, { count }) => total + count, 0),
    });

  const journal = createJournal({ files, nextGroup: recovered.nextGroup, unfiled: recovered.unfiled });
  const filing = createFiling({
    run: async job => (await runWriterJob(job satisfies FilingJob, [])) as FilingReport,
    lastSeq: Math.max(lastSeq, recovered.lastSeq),
    recovered: recovered.unfiled,
    onFiled: journal.filed,
    onLost: ({ damaged, setAside }) => {
      if (damaged.length > 0)
        log.error('the capture journal is damaged on disk: deliveries in it are lost', { places: damaged });
      if (setAside.length > 0)
        log.error('the database refused stored deliveries; each is kept in a file', { deliveries: setAside });
    },
    onFailure: cause => {
      log.error('stored deliveries cannot be moved into the database; no more are accepted until it works', { cause });
      return journal.removeSpares();
    },
    onRecovered: async () => {
      await journal.prepareSpare();
      log.info('stored deliveries are moved into the database again');
    },
    monotonic,
  });

  return {
    filing,
    prepare: (): void => void journal.prepareSpare().catch(() => {}),
    createWriter: (recogniser: Recogniser): WriteBatch =>
      createJournalWriter({ journal, filing, recogniser, monotonic }),
    async insertRows(events: readonly NewEvent[]): Promise<void> {
      const reservation = filing.reserve(events.length);
      const rows = packRows(events, reservation.first);
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
  const readId = { sql: "SELECT value FROM meta WHERE name = 'database-id'", args: [] };
  let [id, last] = await client.batch([readId, lastSeqSql], 'read');
  if (id?.rows.length === 0)
    [, id, last] = await client.batch(
      ["INSERT OR IGNORE INTO meta (name, value) VALUES ('database-id', randomblob(16))", readId, lastSeqSql],
      'write',
    );
  return {
    databaseId: new Uint8Array(id?.rows[0]?.[0] as ArrayBuffer),
    lastSeq: Number(last?.rows[0]?.[0] ?? 0),
  };
}

/** A journal of another database, such as one that was restored over, is moved aside: its endpoints are not the ones of this database. */
function readOwnSegments(
  files: SegmentFiles,
  {
    directory,
    databaseId,
    now,
    log,
  }: Pick<JournalOptions, 'now' | 'log'> & { directory: string; databaseId: Uint8Array },
): StoredSegment[] {
  const segments = files.readStored();
  if (segments.every(segment => segment.databaseId.equals(databaseId))) return segments;
  const aside = `${directory}.of-another-database-${now()}`;
  if (existsSync(directory)) renameSync(directory, aside);
  log.error('the capture journal belongs to another database and was moved aside', { movedTo: aside });
  return [];
}
