/*
 * The writer thread's entry file: the one connection that writes, and beside it the recorder, so that what a delivery costs
 * is not taken from the thread that listens. Named here because the executable finds thread files by path.
 */
import { type Job, serveConnection, type ThreadScope } from '../db/connection.ts';
import type { Parcel } from '../features/capture/parcel.ts';

/** What a job of the writer thread is given: a parcel, and whether search signatures are wanted. */
export type RecordJob = { parcel: Parcel; signed: boolean };

serveConnection(globalThis as unknown as ThreadScope, async (write): Promise<Job> => {
  // After the connection is open: nothing waits for what only a delivery needs.
  const [{ createRecorderOn }, { createCaptureStore }] = await Promise.all([
    import('./recorder.ts'),
    import('../features/capture/store.ts'),
  ]);
  const record = createRecorderOn(createCaptureStore(async statements => write(statements), 'one'));
  return async inputs => {
    const jobs = inputs as RecordJob[];
    const results = await record(
      jobs.map(({ parcel }) => parcel),
      jobs.some(({ signed }) => signed),
    );
    return results.map(result => {
      if (result.status === 'rejected') return { error: result.reason };
      const { signatures, bytes } = result.value;
      return { output: result.value, handedOver: signatures ? [bytes, signatures.buffer as ArrayBuffer] : [bytes] };
    });
  };
});
