/**
 * For tests of several server processes on one libSQL server: the database, the processes, and destinations that record what
 * arrives.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEventId } from '../../core/ids/ids.ts';
import { startClocked } from '../clocked-server.ts';
import { openTestServer, type TestServer } from '../test-server.ts';
import { startLibsqlServer } from './libsql-server.ts';

/** `lane`: the lane in the body. */
export type Arrival = { seq: number; lane: number };

export type Processes = Awaited<ReturnType<typeof openProcesses>>;

/** Starts the libSQL server. */
export async function openProcesses() {
  const libsql = await startLibsqlServer();
  const closing: (() => unknown)[] = [];
  const settings = {
    HOOKTAPE_DATABASE_URL: libsql.url,
    HOOKTAPE_SECRET: 'the same secret for every process of an installation',
    HOOKTAPE_REPLAY_ALLOW: '127.0.0.1',
  };

  return {
    /** A server in the process of the test; it may be closed twice. `aheadMs`: the lead of its clock. */
    async open(aheadMs: () => number = () => 0): Promise<TestServer> {
      const clock = { now: () => Date.now() + aheadMs(), monotonic: () => performance.now() + aheadMs() };
      const server = await openTestServer({ env: settings, clock });
      let closed: Promise<void> | undefined;
      const close = () => (closed ??= Promise.resolve(server.close()));
      closing.push(close);
      return { ...server, close };
    },
    /** A server in a separate process, which can be killed. */
    async start() {
      const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
      closing.push(() => rmSync(directory, { recursive: true, force: true }));
      const started = await startClocked(directory, settings);
      closing.push(started.kill);
      return started;
    },
    /** A destination. `answer` is awaited before each response, with the number of arrivals so far. */
    destination(answer: (n: number) => unknown = () => {}): { url: string; arrivals: Arrival[] } {
      const arrivals: Arrival[] = [];
      const http = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        async fetch(request) {
          const { lane } = (await request.json()) as { lane: number };
          const seq = parseEventId(request.headers.get('x-service-replay') ?? '')?.seq ?? 0;
          await answer(arrivals.push({ seq, lane }));
          return new Response(null, { status: 204 });
        },
      });
      closing.push(() => http.stop(true));
      return { url: `http://127.0.0.1:${http.port}/hook`, arrivals };
    },
    async close(): Promise<void> {
      for (const one of closing.reverse()) await one();
      await libsql.remove();
    },
  };
}
