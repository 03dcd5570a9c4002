/* The server of a client command, and its key. The environment takes precedence over the servers that `login` saved. */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Arguments, type Io, OperationError, UsageError } from '../io.ts';
import { variable } from '../parse-arguments.ts';
import { fileProblem } from '../system-errors.ts';
import { readSavedServers, type SavedServer } from './saved-servers.ts';

export type Server = {
  /** Its origin. */
  url: string;
  key: string | undefined;
  /** Whether the key comes from HOOKTAPE_KEY. */
  isKeyFromEnvironment: boolean;
};

/** The URL of a server with default settings. */
export const defaultUrl = 'http://localhost:4665';

/** Adds http for a loopback host, and https for any other. */
const withScheme = (text: string): string => {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  return /^(localhost|127\.|\[::1\])/i.test(text) ? `http://${text}` : `https://${text}`;
};

/** The origin in the URL of a server, or of any page of it. @throws UsageError */
export function originOf(text: string): string {
  // Other users of this machine can see the arguments.
  if (/htk_[0-9a-z]{20,}/.test(text))
    throw new UsageError(
      'keys are not accepted as arguments, because other users can see them: use --key and standard input',
    );
  const url = URL.parse(withScheme(text.trim()));
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') throw new UsageError(`not a server URL: ${text}`);
  if (url.username || url.password) throw new UsageError('the server URL must not contain a user name or password');
  return url.origin;
}

/** HOOKTAPE_URL and HOOKTAPE_KEY from the environment, or else --env-file. @throws UsageError if it cannot be read */
export function clientVariables(
  io: Pick<Io, 'env'>,
  { envFile }: Pick<Arguments, 'envFile'>,
): { url?: string; key?: string } {
  let file: NodeJS.Dict<string> = {};
  if (envFile !== undefined)
    try {
      file = parseEnv(readFileSync(envFile, 'utf8'));
    } catch (error) {
      throw new UsageError(`the env file ${envFile} cannot be read: ${fileProblem(error)}`);
    }
  const url = variable(io, 'HOOKTAPE_URL') ?? (file['HOOKTAPE_URL'] || undefined);
  const key = (variable(io, 'HOOKTAPE_KEY') ?? file['HOOKTAPE_KEY'])?.trim();
  return { ...(url && { url: originOf(url) }), ...(key && { key }) };
}

/** The server and its saved data. */
export function findServer(
  io: Pick<Io, 'env'>,
  given: Pick<Arguments, 'envFile'>,
): Server & { saved: SavedServer | undefined } {
  const named = clientVariables(io, given);
  // If both are given, the file is not read.
  const { current, servers } =
    named.url && named.key ? { current: undefined, servers: new Map<string, SavedServer>() } : readSavedServers(io);
  const url = named.url ?? current ?? defaultUrl;
  const saved = servers.get(url);
  return { url, key: named.key ?? saved?.key, isKeyFromEnvironment: named.key !== undefined, saved };
}

/** @throws OperationError without a key for the server */
export function requireServer(io: Pick<Io, 'env'>, given: Pick<Arguments, 'envFile'>): Server & { key: string } {
  const server = findServer(io, given);
  const { key } = server;
  if (key === undefined)
    throw new OperationError(
      `not signed in to ${server.url}: run \`hooktape login ${server.url}\`, or set HOOKTAPE_KEY`,
    );
  return { ...server, key };
}
