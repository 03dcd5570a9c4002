/* Which server a client command talks to, and with which key. The environment wins over what `login` saved. */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Parsed } from '../arguments.ts';
import { fileProblem } from '../file-problem.ts';
import { type Io, OperationError, UsageError } from '../io.ts';
import { variable } from './given.ts';
import { readSavedServers, type SavedServer } from './saved-servers.ts';

export type Server = {
  /** Its origin. */
  url: string;
  key: string | undefined;
  /** Whether the key comes from HOOKTAPE_KEY. */
  isKeyFromEnvironment: boolean;
};

/** Where a server listens without any setting. */
export const defaultUrl = 'http://localhost:4665';

/** A loopback host is meant as http, any other as https. */
const withScheme = (text: string): string => {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  return /^(localhost|127\.|\[::1\])/i.test(text) ? `http://${text}` : `https://${text}`;
};

/** The origin in the URL of a server, or of any page of it. @throws UsageError */
export function originOf(text: string): string {
  // Other users of this machine can see the arguments.
  if (/htk_[0-9a-z]{20,}/.test(text))
    throw new UsageError(
      'a key is not taken from the arguments, which others can see: give it on standard input, with --key',
    );
  const url = URL.parse(withScheme(text.trim()));
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new UsageError(`not the URL of a server: ${text}`);
  if (url.username || url.password) throw new UsageError('the URL of a server has no user name or password in it');
  return url.origin;
}

/** HOOKTAPE_URL and HOOKTAPE_KEY, of the environment, else of --env-file. @throws UsageError when the file cannot be read */
export function clientVariables(
  io: Pick<Io, 'env'>,
  { envFile }: Pick<Parsed, 'envFile'>,
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

/** The server, and what is saved for it. */
export function findServer(
  io: Pick<Io, 'env'>,
  given: Pick<Parsed, 'envFile'>,
): Server & { saved: SavedServer | undefined } {
  const named = clientVariables(io, given);
  // With both given, the file need not even be readable.
  const { current, servers } =
    named.url && named.key ? { current: undefined, servers: new Map<string, SavedServer>() } : readSavedServers(io);
  const url = named.url ?? current ?? defaultUrl;
  const saved = servers.get(url);
  return { url, key: named.key ?? saved?.key, isKeyFromEnvironment: named.key !== undefined, saved };
}

/** @throws OperationError when there is no key for the server */
export function requireServer(io: Pick<Io, 'env'>, given: Pick<Parsed, 'envFile'>): Server & { key: string } {
  const server = findServer(io, given);
  const { key } = server;
  if (key === undefined)
    throw new OperationError(
      `not signed in to ${server.url}: run \`hooktape login ${server.url}\`, or set HOOKTAPE_KEY`,
    );
  return { ...server, key };
}
