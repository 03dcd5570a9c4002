/*
 * A server whose filing can be held, so that acknowledged deliveries stay in the capture journal. A killed server is a copy of
 * its data directory.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestServer, type TestServer } from './test-server.ts';

export type HeldFiling = Awaited<ReturnType<typeof openHeldFiling>>;

/** Opens it with an account and an endpoint. */
export async function openHeldFiling() {
  const base = mkdtempSync(join(tmpdir(), 'hooktape-journal-'));
  let copies = 0;
  let held: PromiseWithResolvers<void> | undefined;
  let failure: Error | undefined;

  const open = (directory: string): Promise<TestServer> => {
    mkdirSync(directory, { recursive: true });
    return openTestServer({
      directory,
      overrides: {
        beforeFiling: async () => {
          await held?.promise;
          if (failure) throw failure;
        },
      },
    });
  };
  const server = await open(join(base, 'data'));
  const ada = await server.createAccount();
  const endpoint = await ada.createEndpoint();
  const authorization = `Bearer ${ada.key}`;

  const release = (): void => {
    held?.resolve();
    held = undefined;
  };

  return {
    /** A directory for files of the test. */
    base,
    server,
    ada,
    endpoint,
    /** Opens another server; its filing is held, too. */
    open,
    /** From now on, filing waits. */
    hold: (): void => {
      held ??= Promise.withResolvers();
    },
    release,
    /** From now on, filing fails with this error; undefined: it works. */
    setFailure: (error: Error | undefined): void => {
      failure = error;
    },

    /** Sends each body to a different path, one after the other. @returns the ids */
    async deliverAll(...bodies: string[]): Promise<string[]> {
      const ids: string[] = [];
      for (const body of bodies) ids.push(await server.deliver(endpoint, body, { suffix: `/${body}` }));
      return ids;
    },

    /** Copies the data directory in the state that `kill -9` would leave now. */
    killedCopy(): string {
      const directory = join(base, `killed-${++copies}`);
      cpSync(server.directory, directory, { recursive: true, filter: path => !path.endsWith('.sock') });
      return directory;
    },

    /** The endpoint's events, oldest first. */
    async idsIn(reader: TestServer): Promise<string[]> {
      const path = `/api/events?endpointId=${endpoint.id}&limit=100`;
      const response = await reader.fetch(path, { headers: { authorization } });
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      return ((await response.json()) as { events: { id: string }[] }).events.map(({ id }) => id).reverse();
    },

    bodyIn: async (reader: TestServer, id: string): Promise<string> =>
      (await reader.fetch(`/api/events/${id}/raw`, { headers: { authorization } })).text(),

    /** Opens the directory of a killed server while `use` runs. */
    async withNextServer<T>(directory: string, use: (next: TestServer) => Promise<T>): Promise<T> {
      const next = await open(directory);
      try {
        return await use(next);
      } finally {
        release();
        await next.close();
      }
    },

    async close(): Promise<void> {
      failure = undefined;
      release();
      await server.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
