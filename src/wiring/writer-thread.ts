/* The entry file of the writer thread, which has the only writing connection and the batch writer. The executable finds this file by its path. */
import { serveDatabaseThread, type ThreadScope, type WriterJob } from '../db/threads/thread-server.ts';

serveDatabaseThread(globalThis as unknown as ThreadScope, async (write): Promise<WriterJob> => {
  // Loaded once the connection is open, so that opening does not wait for code that only deliveries need.
  const { createWriterJob } = await import('./writer-job.ts');
  return createWriterJob(write);
});
