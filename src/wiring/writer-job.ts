/* The writer thread's job besides plain statements: filing (ingest/journal/filing-job.ts). */
import type { PackedResult, Statement } from '../db/threads/messages.ts';
import type { WriterJob } from '../db/threads/thread-server.ts';
import type { FilingJob, KnownSecrets } from '../ingest/journal/filing.ts';
import { createFilingJob } from '../ingest/journal/filing-job.ts';
import { createCaptureStore, lastSeqSql } from '../ingest/store.ts';
import { createJournalEncoder } from './encoders.ts';

export function createWriterJob(write: (statements: readonly Statement[]) => PackedResult[]): WriterJob {
  const { insert } = createCaptureStore(async statements => write(statements));
  let secrets: KnownSecrets = new Map();
  const file = createFilingJob({
    insert,
    filedSeq: async () => Number(write([{ sql: lastSeqSql, args: [] }])[0]?.rows[0]?.[0] ?? 0),
    encode: createJournalEncoder(endpoint => secrets.get(endpoint) ?? []),
  });
  return async inputs => {
    const results = [];
    // One at a time, in order.
    for (const input of inputs) {
      try {
        const job = input as FilingJob;
        secrets = job.secrets ?? secrets;
        results.push({ output: await file(job), transfer: [] });
      } catch (error) {
        results.push({ error });
      }
    }
    return results;
  };
}
