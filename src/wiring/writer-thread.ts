/*
 * The writer thread's entry file: the one connection that writes, and beside it the recorder. Named here because the executable
 * finds thread files by path.
 */
import { type Job, serveConnection, type ThreadScope } from '../db/connection.ts';

serveConnection(globalThis as unknown as ThreadScope, async (write): Promise<Job> => {
  // After the connection is open: nothing waits for what only a delivery needs.
  const { createWriterJob } = await import('./writer-job.ts');
  return createWriterJob(write);
});
