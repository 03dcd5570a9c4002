/* The writer thread's entry file, which the executable finds by its path: the one connection that writes, and the batch writer. */
import { type Job, serveConnection, type ThreadScope } from '../db/connection.ts';

serveConnection(globalThis as unknown as ThreadScope, async (write): Promise<Job> => {
  // Loaded once the connection is open, so that opening does not wait for code that only deliveries need.
  const { createWriterJob } = await import('./writer-job.ts');
  return createWriterJob(write);
});
