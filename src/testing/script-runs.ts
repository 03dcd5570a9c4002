/* Runs exported shell scripts in the shells of this machine. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordedRequest } from './request-recorder.ts';
import { openTestServer } from './test-server.ts';

/** Each with its arguments. */
export const shells = [
  ['sh'],
  ['dash'],
  ['bash', '--posix'],
  ['busybox', 'sh'],
  ['zsh', '--emulate', 'sh'],
  ['ksh'],
].filter(([name = '']) => Bun.which(name));

export type SentEvent = {
  method?: string;
  path?: string;
  query?: string | null;
  rawHeaders?: [string, string][];
  body?: string | Uint8Array;
};

/** `left`: the files in its directory afterwards. */
type Run = { exitCode: number; stdout: string; stderr: string; left: string[] };

/** A server whose endpoints are exported, and a directory in which scripts run. */
export async function openScriptRuns() {
  const server = await openTestServer();
  const account = await server.createAccount();
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  return {
    server,
    account,
    directory,

    /** The script of an endpoint with these events. */
    async scriptOf(events: readonly SentEvent[], name = 'inbox') {
      const endpoint = await account.createEndpoint(name);
      const imported = events.map(({ method = 'POST', path = '', query = null, rawHeaders = [], body = '' }, i) => ({
        receivedAt: Date.now() - 1000 + i,
        ...{ method, path, query, rawHeaders },
        payloadRaw: Buffer.from(body as string).toString('base64'),
        payloadEncoding: 'base64',
      }));
      const result = await server.services.imports.add(endpoint.id, imported);
      if (result.imported !== events.length) throw new Error(`imported ${JSON.stringify(result)}`);
      const response = await account.call('GET', `/api/endpoints/${endpoint.id}/export?format=curl`);
      return { endpoint, text: await response.text() };
    },

    /** Runs it as `script.sh` in an empty directory. */
    async run(
      text: string | Uint8Array,
      args: string[],
      { shell = ['sh'], env = {} }: { shell?: string[]; env?: Record<string, string> } = {},
    ): Promise<Run> {
      const cwd = mkdtempSync(join(directory, 'run-'));
      const file = join(directory, 'script.sh');
      writeFileSync(file, text);
      const child = Bun.spawn([...shell, file, ...args], {
        cwd,
        env: { ...Bun.env, ...env },
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [stdout, stderr, exitCode] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      return { exitCode, stdout, stderr, left: readdirSync(cwd) };
    },

    async close(): Promise<void> {
      rmSync(directory, { recursive: true, force: true });
      await server.close();
    },
  };
}

export type ScriptRuns = Awaited<ReturnType<typeof openScriptRuns>>;

const notSent = 'host content-length connection keep-alive transfer-encoding te trailer upgrade expect'.split(' ');
const isSent = ([name]: readonly [string, string]): boolean => !notSent.includes(name.toLowerCase());
/** The parts of a request that must equal the event: everything except the headers of the connection. */
export const shown = ({ method, target, headers, body }: RecordedRequest) => ({
  method,
  target,
  headers: headers.filter(isSent),
  body: Buffer.from(body).toString('base64'),
});
export const expected = (event: SentEvent, base = '') => ({
  method: event.method ?? 'POST',
  target: `${base}${event.path ?? ''}${typeof event.query === 'string' ? `?${event.query}` : ''}`,
  headers: (event.rawHeaders ?? []).filter(isSent),
  body: Buffer.from((event.body ?? '') as string).toString('base64'),
});
