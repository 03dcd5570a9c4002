/* Starts a reader thread for each long task, so that no request waits behind it. */
import type { Client } from '@libsql/client';
import type { DatabaseThread } from './thread-handle.ts';
import { createThreadedClient } from './threaded-client.ts';

export type OnDemandReaders = ReturnType<typeof createOnDemandReaders>;

export function createOnDemandReaders(start: () => Promise<DatabaseThread>) {
  const running = new Set<DatabaseThread>();
  const withThread = async <T>(use: (thread: DatabaseThread) => Promise<T>): Promise<T> => {
    const thread = await start();
    running.add(thread);
    try {
      return await use(thread);
    } finally {
      running.delete(thread);
      await thread.close().catch(() => {});
    }
  };
  return {
    withThread,
    withClient: <T>(use: (client: Client) => Promise<T>): Promise<T> =>
      withThread(thread => use(createThreadedClient(thread, thread))),
    /** Ends all threads; running reads fail with CLIENT_CLOSED. */
    terminateAll: (): void => {
      for (const thread of running) thread.terminate();
    },
  };
}
