/* Filing on the writer thread: stores groups in one transaction. Rows have the acknowledged numbers: a retry stores none twice. */
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asBuffer } from '../../core/encoding/buffer.ts';
import { nonceBytes } from '../../core/ids/ids.ts';
import { syncDirectory } from '../../db/files/publish-file.ts';
import { isRowError } from '../group-commit.ts';
import type { NewEvent } from '../row-encoder.ts';
import { type CaptureStore, type PackedRows, packRows } from '../store.ts';
import type { FilingJob, FilingReport } from './filing.ts';
import { type GroupRun, groupsIn } from './filing-slot.ts';
import { decodeGroup, isIntactGroup, type JournalEntry } from './group.ts';
import type { GroupLocation } from './journal.ts';

export type FilingJobOptions = {
  insert: CaptureStore['insert'];
  /** Returns the highest row number that was ever stored. */
  filedSeq: () => Promise<number>;
  encode: (entries: readonly JournalEntry[], nonces: Uint8Array) => readonly NewEvent[];
  syncNames?: (directory: string) => Promise<void>;
};

/** A delivery with the row number of its event. */
type Numbered = { seq: number; entry: JournalEntry; nonce: Uint8Array };

/** Part of one transaction. `index`: position of the import's rows in the job. */
type Part =
  | { kind: 'deliveries'; directory: string; deliveries: Numbered[] }
  | { kind: 'rows'; index: number; rows: PackedRows };

/** @throws the database's error if nothing, or an unknown part, was stored */
export function createFilingJob({ insert, filedSeq, encode, syncNames = syncDirectory }: FilingJobOptions) {
  const toRows = (part: Part): PackedRows[] => {
    if (part.kind === 'rows') return [part.rows];
    return runsOf(part.deliveries).map(run => {
      const entries = run.map(({ entry }) => entry);
      const nonces = Buffer.concat(run.map(({ nonce }) => nonce));
      return packRows(encode(entries, nonces), run[0]?.seq);
    });
  };

  /** After a row error: one transaction per event. A refused delivery is kept in a file; refused rows are reported to their import. */
  const storeOneByOne = async (parts: readonly Part[], report: FilingReport): Promise<void> => {
    for (const part of parts) {
      const singles: Part[] =
        part.kind === 'rows' ? [part] : part.deliveries.map(one => ({ ...part, deliveries: [one] }));
      for (const single of singles) {
        try {
          await insert(toRows(single));
        } catch (error) {
          if (!isRowError(error)) throw error;
          if (single.kind === 'rows') report.refused.push({ index: single.index, ...describe(error) });
          else {
            report.setAside.push(...single.deliveries.map(one => setAside(single.directory, one, error)));
            await syncNames(single.directory);
          }
        }
      }
    }
  };

  return async ({ work, isRetry }: FilingJob): Promise<FilingReport> => {
    const report: FilingReport = { damaged: [], setAside: [], refused: [] };
    const filed = isRetry ? await filedSeq() : 0;
    const parts: Part[] = [];
    for (const [index, one] of work.entries()) {
      if ('rows' in one) {
        if (one.first > filed) parts.push({ kind: 'rows', index, rows: one.rows });
        continue;
      }
      for (const { group, bytes } of readGroups(one.run)) {
        if (!isIntactGroup(bytes)) {
          report.damaged.push(group);
          continue;
        }
        const deliveries = numbered(bytes).filter(({ seq }) => seq > filed);
        const last = parts.at(-1);
        if (last?.kind === 'deliveries') last.deliveries.push(...deliveries);
        else parts.push({ kind: 'deliveries', directory: dirname(group.path), deliveries });
      }
    }
    try {
      const rows = parts.flatMap(toRows);
      if (rows.length > 0) await insert(rows);
    } catch (error) {
      if (!isRowError(error)) throw error;
      await storeOneByOne(parts, report);
    }
    return report;
  };
}

/** The groups of a run, which may be damaged on disk. */
function readGroups(run: GroupRun): { group: GroupLocation; bytes: Buffer }[] {
  let all = Buffer.allocUnsafeSlow(run.bytes.reduce((sum, bytes) => sum + bytes, 0));
  const file = openSync(run.path, 'r');
  try {
    all = all.subarray(0, readSync(file, all, 0, all.length, run.offset));
  } finally {
    closeSync(file);
  }
  return groupsIn(run).map(group => {
    const start = group.offset - run.offset;
    return { group, bytes: all.subarray(start, start + group.bytes) };
  });
}

function numbered(group: Buffer): Numbered[] {
  const { entries, nonces, first } = decodeGroup(group);
  return entries.map((entry, i) => ({
    seq: first + i,
    entry,
    nonce: nonces.subarray(i * nonceBytes, (i + 1) * nonceBytes),
  }));
}

/** Runs of consecutive row numbers. A group that could not be written leaves a gap. */
function runsOf(deliveries: readonly Numbered[]): Numbered[][] {
  const runs: Numbered[][] = [];
  for (const one of deliveries) {
    const run = runs.at(-1);
    if (run?.at(-1)?.seq === one.seq - 1) run.push(one);
    else runs.push([one]);
  }
  return runs;
}

const describe = (error: unknown): { message: string; code: string } => ({
  message: (error as Error).message,
  code: String((error as { code?: unknown }).code),
});

/** Keeps an acknowledged delivery that cannot become a row. */
function setAside(
  directory: string,
  { seq, entry, nonce }: Numbered,
  error: unknown,
): FilingReport['setAside'][number] {
  const path = join(directory, `refused-${seq}.json`);
  const base64 = (bytes: Uint8Array): string => asBuffer(bytes).toString('base64');
  const { fields, body, ...delivery } = entry.delivery;
  const text = {
    seq,
    nonce: base64(nonce),
    ...entry,
    delivery: { ...delivery, fields: base64(fields), body: base64(body) },
  };
  writeFileSync(path, JSON.stringify({ ...text, error: describe(error) }), { mode: 0o600, flush: true });
  return { seq, path, ...describe(error) };
}
