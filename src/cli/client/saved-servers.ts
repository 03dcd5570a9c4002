/* The servers that `login` has saved, in a file that only its owner can read and that is always replaced as a whole. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { type Io, OperationError } from '../io.ts';
import { variable } from '../parse-arguments.ts';
import { fileProblem } from '../system-errors.ts';

export type SavedServer = {
  key: string;
  email: string;
  /** The id of a key that `login` created for this machine; null for a key that the user entered. */
  keyId: string | null;
};

export type SavedServers = {
  /** The origin of the server of the last login. */
  current: string | undefined;
  /** By origin. */
  servers: Map<string, SavedServer>;
};

type Where = Pick<Io, 'env' | 'random'>;

/** `$XDG_CONFIG_HOME/hooktape/servers.json`. A relative XDG_CONFIG_HOME is ignored, as its specification demands. */
export function savedServersPath(io: Pick<Io, 'env'>): string {
  const given = variable(io, 'XDG_CONFIG_HOME');
  const appData = platform() === 'win32' ? variable(io, 'APPDATA') : undefined;
  const base = given && isAbsolute(given) ? given : (appData ?? join(variable(io, 'HOME') ?? homedir(), '.config'));
  return join(base, 'hooktape', 'servers.json');
}

/** @throws OperationError if the file exists and cannot be read */
export function readSavedServers(io: Pick<Io, 'env'>): SavedServers {
  const path = savedServersPath(io);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { current: undefined, servers: new Map() };
    throw new OperationError(`${path} cannot be read: ${fileProblem(error)}`);
  }
  try {
    return readFile(JSON.parse(text));
  } catch {
    throw new OperationError(`${path} is damaged or not written by hooktape: delete it and sign in again`);
  }
}

function readFile(value: unknown): SavedServers {
  const { current, servers } = value as { current?: unknown; servers: Record<string, Partial<SavedServer>> };
  const read = Object.entries(servers).map(([url, { key, email, keyId }]): [string, SavedServer] => {
    if (typeof key !== 'string' || typeof email !== 'string') throw new Error('not a server');
    return [url, { key, email, keyId: typeof keyId === 'string' ? keyId : null }];
  });
  return { current: typeof current === 'string' ? current : undefined, servers: new Map(read) };
}

/** Reads, changes and replaces the file. @throws OperationError when it cannot be written */
export function changeSavedServers(io: Where, change: (saved: SavedServers) => void): void {
  const saved = readSavedServers(io);
  change(saved);
  const path = savedServersPath(io);
  const part = `${path}.${Buffer.from(io.random(8)).toString('hex')}`;
  const text = `${JSON.stringify({ current: saved.current, servers: Object.fromEntries(saved.servers) }, null, 2)}\n`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(part, text, { mode: 0o600, flag: 'wx', flush: true });
    // The umask may have removed needed permissions.
    chmodSync(part, 0o600);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw new OperationError(`${path} cannot be written: ${fileProblem(error)}`);
  }
}
