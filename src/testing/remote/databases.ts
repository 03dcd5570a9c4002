/*
 * `HOOKTAPE_TEST_DATABASE=remote bun run test` gives every test server its own libSQL server instead of an embedded file, so that
 * the suite tests the network client. Tests of the database file are skipped.
 */
import { type LibsqlServer, noLibsqlServer, startLibsqlServer } from './libsql-server.ts';

/** Whether the tests run on libSQL servers; tests of the embedded file use `test.skipIf(isRemote)`. */
export const isRemote = Bun.env['HOOKTAPE_TEST_DATABASE'] === 'remote';

/**
 * The share of its random cases that a long test runs: all of them in CI, fewer in `bun run check`, because people wait for it,
 * and fewest over the network, where each request takes a hundred times as long.
 */
export const shareOfCases = isRemote ? 0.05 : Bun.env['CI'] ? 1 : 0.1;

const byDirectory = new Map<string, LibsqlServer>();

/** The libSQL server for a data directory, always the same one; undefined if the tests run on files. */
export async function databaseFor(directory: string): Promise<LibsqlServer | undefined> {
  if (!isRemote) return undefined;
  if (noLibsqlServer !== undefined) throw new Error(noLibsqlServer);
  const known = byDirectory.get(directory);
  if (known) return known;
  const server = await startLibsqlServer();
  byDirectory.set(directory, server);
  return server;
}
