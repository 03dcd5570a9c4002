/*
 * `HOOKTAPE_TEST_DATABASE=remote bun run test`: every server gets a libSQL server of its own instead of an embedded file, so
 * that the whole suite runs over the network client. What is about the file itself is skipped then.
 */
import { type LibsqlServer, noLibsqlServer, startLibsqlServer } from './libsql-server.ts';

/** Whether this run is about a libSQL server; a test of the embedded file says `test.skipIf(isRemote)`. */
export const isRemote = Bun.env['HOOKTAPE_TEST_DATABASE'] === 'remote';

const byDirectory = new Map<string, LibsqlServer>();

/** The server that stands in for the file in this data directory, the same one at every opening; undefined without. */
export async function databaseFor(directory: string): Promise<LibsqlServer | undefined> {
  if (!isRemote) return undefined;
  if (noLibsqlServer !== undefined) throw new Error(noLibsqlServer);
  const known = byDirectory.get(directory);
  if (known) return known;
  const server = await startLibsqlServer();
  byDirectory.set(directory, server);
  return server;
}
