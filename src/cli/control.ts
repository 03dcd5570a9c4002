/* How a command reaches the database: through the running server's socket, or by opening it under the lock. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../config/config.ts';
import { LockedError } from '../db/files/lock.ts';
import type { CoreServices } from '../wiring/core.ts';
import type { Services } from '../wiring.ts';
import {
  isHeld,
  needsDirectory,
  openDataDirectory,
  requireDatabase,
  socketPath,
  withSecret,
} from './data-directory.ts';
import { type Arguments, type Io, OperationError } from './io.ts';
import { type Operation, type OperationName, type Outcome, type operations, runOperation } from './operations.ts';
import { createLog, loadConfig } from './settings.ts';
import { diskErrorMessage, fetchErrorMessage } from './system-errors.ts';

/** How long a command waits for a locked data directory if no server responds. */
const lockTimeoutMs = 5000;
const pollMs = 50;

/** How often a long operation writes a line break, so that the client can tell it from a dead server. */
const keepAliveMs = 5000;

/** The operation that may be the first of an installation. */
const createsDatabase: OperationName = 'account.create';

type Result<N extends OperationName> = Awaited<ReturnType<(typeof operations)[N]>>;

const unwrap = <N extends OperationName>(outcome: Outcome): Result<N> => {
  if ('failure' in outcome) throw new OperationError(outcome.failure.message);
  // The result of the operation with this name; through the socket it is JSON.
  return outcome.result as Result<N>;
};

/** Like `control`, with the settings of the command. */
export const ask = async <N extends OperationName>(
  io: Io,
  { envFile }: Pick<Arguments, 'envFile'>,
  name: N,
  args: Record<string, unknown>,
): Promise<Result<N>> => control(io, loadConfig(io, envFile).config, name, args);

/** Runs an operation in the process that has the database open. @throws OperationError with the reason if it is refused */
export async function control<N extends OperationName>(
  io: Io,
  config: Config,
  name: N,
  args: Record<string, unknown>,
): Promise<Result<N>> {
  const until = io.clock.monotonic() + lockTimeoutMs;
  for (;;) {
    const throughServer = await askServer(socketPath(config), name, args);
    if (throughServer) return unwrap<N>(throughServer);
    try {
      const session = { holder: `hooktape ${name.replace('.', ' ')}`, mayCreate: name === createsDatabase };
      return await withServices(io, config, session, async services =>
        unwrap<N>(await runOperation(services, name, args)),
      );
    } catch (error) {
      // A server that is starting or stopping, or another command, holds the lock: try both ways again.
      if (!(error instanceof LockedError) || io.clock.monotonic() >= until) throw error;
    }
    await new Promise(resolve => setTimeout(resolve, pollMs));
  }
}

/** Runs an operation in the running server. @returns undefined if no server runs here @throws OperationError if it is refused */
export async function askRunningServer<N extends OperationName>(
  config: Pick<Config, 'dataDir'>,
  name: N,
  args: Record<string, unknown> = {},
): Promise<{ result: Result<N> } | undefined> {
  const outcome = await askServer(socketPath(config), name, args);
  return outcome && { result: unwrap<N>(outcome) };
}

/** One of many operations in a row. @throws OperationError with the reason if it is refused */
export type Call = (name: OperationName, args: Record<string, unknown>) => Promise<unknown>;

/** For many operations: uses the running server, or else opens everything once. */
export async function withControl<T>(
  io: Io,
  config: Config,
  holder: string,
  use: (call: Call) => Promise<T>,
): Promise<T> {
  const socket = socketPath(config);
  if (!(await askServer(socket, 'ping', {})))
    return withServices(io, config, { holder }, services =>
      use(async (name, args) => unwrap(await runOperation(services, name, args))),
    );
  return use(async (name, args) => {
    const outcome = await askServer(socket, name, args);
    if (!outcome) throw new OperationError('the server has stopped');
    return unwrap(outcome);
  });
}

/**
 * Opens everything without listening, for as long as `use` takes.
 * @param session its `holder` names this process to others; `mayCreate` a database, which must exist by default
 * @throws LockedError if a server is running, OperationError without a database
 */
export async function withServices<T>(
  io: Io,
  config: Config,
  { holder, mayCreate = false }: { holder: string; mayCreate?: boolean },
  use: (services: Services) => Promise<T>,
): Promise<T> {
  const hasDirectory = mayCreate || needsDirectory(config);
  const mustExist = hasDirectory && !mayCreate;
  if (mustExist && !isHeld(config)) requireDatabase(config);
  const lock = hasDirectory ? await openDataDirectory(io, config, holder) : undefined;
  try {
    if (mustExist) requireDatabase(config);
    // Loaded here, because most commands do not need it.
    const { createServices } = await import('../wiring.ts');
    const services = await withSecret(io, config, secret =>
      createServices({
        config,
        secret,
        log: createLog(io, config),
        clock: io.clock,
        random: io.random,
        spawn: io.spawn,
        version: io.version,
        usage: io.usage,
        runsQueues: false,
        onFatal: error => {
          io.stderr(`hooktape: ${error.message}\n`);
          io.abort(1);
        },
      }),
    );
    try {
      return await use(services);
    } finally {
      await services.close();
    }
  } finally {
    await lock?.release();
  }
}

const noServer = /^(?:ConnectionRefused|FailedToOpenSocket|ECONNREFUSED|ENOENT)$/;

/** @returns undefined if no server listens on the socket */
async function askServer(socket: string, name: string, args: Record<string, unknown>): Promise<Outcome | undefined> {
  let response: Response;
  try {
    response = await fetch(`http://hooktape/control/${name}`, {
      unix: socket,
      method: 'POST',
      body: JSON.stringify(args),
      headers: { 'content-type': 'application/json' },
      // A backup or a check has no time limit; if the server ends, it closes the connection.
      timeout: false,
    } as RequestInit);
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (noServer.test(code)) return undefined;
    if (code === 'EACCES')
      throw new OperationError(`permission denied for ${socket}\nRun the command as the same user as the server.`);
    throw new OperationError(`the server did not respond: ${fetchErrorMessage(error)}`);
  }
  if (response.status === 404) throw new OperationError('the running server has a different version');
  try {
    return (await response.json()) as Outcome;
  } catch (error) {
    throw new OperationError(`the server stopped before the command was done: ${fetchErrorMessage(error)}`);
  }
}

/** The server's side of the socket. Only the owner of the data directory can open it, so nothing else is checked. */
export function controlHandler(services: CoreServices, aliveEveryMs = keepAliveMs) {
  return async (req: IncomingMessage, res: ServerResponse, target: string): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const [, name] = /^\/control\/([a-zA-Z0-9.-]+)$/.exec(target) ?? [];
    // JSON allows line breaks before its first character.
    const alive = setInterval(() => res.write('\n'), aliveEveryMs);
    res.once('close', () => clearInterval(alive));
    const answer = (status: number, body: unknown): void => {
      clearInterval(alive);
      if (!res.headersSent) res.writeHead(status, { 'content-type': 'application/json' });
      res.end(JSON.stringify(body));
    };
    if (name === undefined || req.method !== 'POST') return answer(404, { error: 'not found' });
    try {
      const args = JSON.parse(Buffer.concat(chunks).toString()) as Parameters<Operation>[1];
      answer(200, await runOperation(services, name, args));
    } catch (error) {
      services.onError(error, { operation: name });
      const message = diskErrorMessage(error) ?? 'internal error; see the server log';
      answer(500, { failure: { code: 'internal', message } } satisfies Outcome);
    }
  };
}
