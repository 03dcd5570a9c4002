/* Entry file of the reader threads. main.ts names it, because the executable finds thread files by path. */
import { serveDatabaseThread, type ThreadScope } from './thread-server.ts';

serveDatabaseThread(globalThis as unknown as ThreadScope);
