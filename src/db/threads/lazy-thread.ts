/* A database thread that its first request starts. After a failed start, the next request tries again. */
import { LibsqlError } from '@libsql/client';
import type { DatabaseThread } from './thread-handle.ts';

export function createLazyThread(start: () => Promise<DatabaseThread>): DatabaseThread {
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
  return {
    send: async request => {
      if (isClosed) throw new LibsqlError('the database is closed', 'CLIENT_CLOSED');
      starting ??= startOnce();
      return (await starting).send(request);
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
