/* The reader thread's entry file. Named here because the executable finds thread files by path. */
import { serveConnection, type ThreadScope } from './connection.ts';

serveConnection(globalThis as unknown as ThreadScope);
