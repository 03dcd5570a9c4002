/* The reader thread's entry file. Named here because the executable finds thread files by path. */
import { serveDatabaseThread, type ThreadScope } from './thread-server.ts';

serveDatabaseThread(globalThis as unknown as ThreadScope);
