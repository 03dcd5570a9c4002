/* The writer thread's entry file, which the executable finds by its path: the one connection that writes, and the batch writer. */
import { serveDatabaseThread, type ThreadScope, type WriterJob } from '../db/threads/thread-server.ts';

serveDatabaseThread(globalThis as unknown as ThreadScope, async (write): Promise<WriterJob> => {
  // Loaded once the connection is open, so that opening does not wait for code that only deliveries need.
  const { createWriterJob } = await import('./writer-job.ts');
  return createWriterJob(write);
});
