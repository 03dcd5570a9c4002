/* What the writer thread does with deliveries: prepares those that were not, and stores all that wait in one commit. */
import type { Job } from '../db/connection.ts';
import type { PackedResult, Statement } from '../db/protocol.ts';
import { unpackParcel } from '../features/capture/parcel.ts';
import { createRecorder } from '../features/capture/recorder.ts';
import { createCaptureStore, packRows, type Rows } from '../features/capture/store.ts';
import { createPreparerHere, type RecordJob, type RecordOutput } from './recorder.ts';

export function createWriterJob(write: (statements: readonly Statement[]) => PackedResult[]): Job {
  const { insert } = createCaptureStore(async statements => write(statements));
  const record = createRecorder({ insert, monotonic: () => performance.now() });
  const prepare = createPreparerHere();

  const readied = (job: RecordJob): { rows: Rows; prepared: RecordOutput['prepared'] } => {
    if ('rows' in job) return { rows: job.rows, prepared: null };
    const { bytes } = job.parcel;
    const { events, findings } = prepare({ ...unpackParcel(job.parcel), signed: job.signed });
    return { rows: packRows(events), prepared: { ...findings, bytes } };
  };

  return async inputs => {
    const ready = (inputs as RecordJob[]).map(job => {
      try {
        return readied(job);
      } catch (error) {
        return { error };
      }
    });
    const results = await record(ready.flatMap(one => ('rows' in one ? [one.rows] : [])));
    let at = 0;
    return ready.map(one => {
      if ('error' in one) return one;
      const result = results[at++];
      if (result?.status !== 'fulfilled') return { error: result?.reason };
      const { prepared } = one;
      const handedOver = prepared ? [prepared.bytes] : [];
      if (prepared?.signatures) handedOver.push(prepared.signatures.buffer as ArrayBuffer);
      return { output: { ...result.value, prepared } satisfies RecordOutput, handedOver };
    });
  };
}
