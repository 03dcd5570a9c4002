/* `hooktape health`: asks the server that this configuration describes whether it is ready. */

import { exitCodes, type Run } from './io.ts';
import { loadConfig } from './settings.ts';
import { fetchErrorMessage } from './system-errors.ts';

const timeoutMs = 5000;

export const runHealth: Run = async ({ envFile, json }, io) => {
  const { config } = loadConfig(io, envFile);
  const host = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[config.host] ?? bracketed(config.host);
  const url = `${config.tls ? 'https' : 'http'}://${host}:${config.port}/readyz`;
  const problem = await ask(url);
  io.stdout(json ? `${JSON.stringify({ ready: problem === undefined, ...(problem && { problem }) })}\n` : '');
  if (!json) (problem === undefined ? io.stdout : io.stderr)(`${problem ?? 'ready'}\n`);
  return problem === undefined ? exitCodes.done : exitCodes.failed;
};

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

async function ask(url: string): Promise<string | undefined> {
  try {
    // The certificate names the public host, not the loopback address that is used here.
    const response = await fetch(url, {
      signal: AbortSignal.timeout(timeoutMs),
      tls: { rejectUnauthorized: false },
      // A proxy from the environment, common in containers, would look for the server on the proxy's own host.
      proxy: false,
    } as unknown as RequestInit);
    return response.ok ? undefined : `not ready: ${url} returned ${response.status}`;
  } catch (error) {
    const { code } = error as { code?: unknown };
    return code === 'ECONNREFUSED' || code === 'ConnectionRefused'
      ? `not ready: no server at ${url}; start it, or give this command the server's settings (--env-file)`
      : `not ready: ${url}: ${fetchErrorMessage(error)}`;
  }
}
