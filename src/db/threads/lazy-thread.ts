/* A database thread that `start` or its first request starts. After a failed start, the next request tries again. */
import { LibsqlError } from '@libsql/client';
import type { DatabaseThread } from './thread-handle.ts';

export type LazyThread = DatabaseThread & {
  /** Resolves once the connection is open. @throws the database's error if it cannot be opened */
  start: () => Promise<void>;
};

export function createLazyThread(start: () => Promise<DatabaseThread>): LazyThread {
  let starting: Promise<DatabaseThread> | undefined;
  let thread: DatabaseThread | undefined;
  let isClosed = false;
  const startOnce = async (): Promise<DatabaseThread> => {
    try {
      thread = await start();
    } catch (error) {
      starting = undefined;
      throw error;
    }
    return thread;
  };
  const started = async (): Promise<DatabaseThread> => {
    if (isClosed) throw new LibsqlError('the database is closed', 'CLIENT_CLOSED');
    starting ??= startOnce();
    return starting;
  };
  return {
    start: async () => void (await started()),
    send: async (...request) => {
      if (thread && !isClosed) return thread.send(...request);
      return (await started()).send(...request);
    },
    queueDepth: () => thread?.queueDepth() ?? 0,
    close: async () => {
      isClosed = true;
      await (await starting?.catch(() => undefined))?.close();
    },
    terminate: () => {
      isClosed = true;
      void starting?.then(started => started.terminate()).catch(() => {});
    },
  };
}
