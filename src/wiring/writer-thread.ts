/*
 * The writer thread's entry file: the one connection that writes, and beside it the recorder. Named here because the executable
 * finds thread files by path.
 */
import { serveDatabaseThread, type ThreadScope, type WriterJob } from '../db/threads/thread-server.ts';

serveDatabaseThread(globalThis as unknown as ThreadScope, async (write): Promise<WriterJob> => {
  // After the connection is open: nothing waits for what only a delivery needs.
  const { createWriterJob } = await import('./writer-job.ts');
  return createWriterJob(write);
});
