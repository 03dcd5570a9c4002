/* The entry file of the writer thread, which has the only writing connection and the batch writer. The executable finds this file by its path. */
import { platform, setPriority } from 'node:os';
import { type LoadJob, serveDatabaseThread, type ThreadScope } from '../db/threads/thread-server.ts';

/** Deliveries are acknowledged before they are filed, so the main thread goes first when both need the processor. */
const niceness = 10;
// Elsewhere this would apply to the whole process.
if (platform() === 'linux') {
  try {
    setPriority(0, niceness);
  } catch {
    // A sandbox may forbid it, which costs only speed.
  }
}

const loadJob: LoadJob = async write => {
  // Only deliveries need this code, with all platforms. Their acknowledgement does not wait for it.
  const { createWriterJob } = await import('./writer-job.ts');
  return createWriterJob(write);
};
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
serveDatabaseThread(globalThis as unknown as ThreadScope, loadJob, cpuMs);
