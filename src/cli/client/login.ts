/* `hooktape login`: gets a key, from the browser or the user, saves it, and revokes the one that it replaces. */
import { isLoopbackHost } from '../../core/network/hosts.ts';
import type { Account } from '../../features/accounts/model.ts';
import { hostOfUrl } from '../../shared/addresses.ts';
import { type Io, OperationError, type Run, UsageError } from '../io.ts';
import { createApi, whenRefused } from './api.ts';
import { printResult, safeLine } from './output.ts';
import { changeSavedServers, readSavedServers, type SavedServer, savedServersPath } from './saved-servers.ts';
import { clientVariables, defaultUrl, originOf } from './server.ts';

export const runLogin: Run = async (given, io) => {
  const [named] = given.positionals;
  const { current, servers } = readSavedServers(io);
  const url = named === undefined ? (clientVariables(io, given).url ?? current ?? defaultUrl) : originOf(named);
  warnIfUnencrypted(io, url);
  const { key, keyId } = given.flag('key') ? { key: await readKey(io), keyId: null } : await keyFromBrowser(io, url);
  const api = createApi(io, { url, key, isKeyFromEnvironment: false });
  const account = await api.call<Account>('GET', '/api/me').catch(
    whenRefused(401, () => {
      throw new OperationError(`${url} does not accept this key: create one in the settings, under API keys`);
    }),
  );
  changeSavedServers(io, saved => {
    saved.current = url;
    saved.servers.set(url, { key, email: account.email, keyId });
  });
  await revokeEarlier(io, url, servers.get(url), key);
  printResult(io, given, account, `Signed in to ${url} as ${safeLine(account.email)}.\n`);
  io.stderr(`The key is saved in ${savedServersPath(io)}.\n`);
  if (io.env['HOOKTAPE_KEY']) io.stderr('HOOKTAPE_KEY is set and takes precedence over the saved key.\n');
};

/** Loaded only here, because reading a key needs neither a listener nor a browser. */
const keyFromBrowser = async (io: Io, url: string): Promise<{ key: string; keyId: string }> =>
  (await import('./browser-login.ts')).keyFromBrowser(io, url);

function warnIfUnencrypted(io: Io, url: string): void {
  const server = new URL(url);
  if (server.protocol === 'http:' && !isLoopbackHost(hostOfUrl(server)))
    io.stderr(
      `The connection to ${url} is not encrypted: anyone on the network path can read the key and the events.\n`,
    );
}

/** The key from standard input or from a prompt. @throws UsageError if it is not a key */
async function readKey(io: Io): Promise<string> {
  const text = (io.ask ? await io.ask('API key: ', true) : await io.readStdin()).trim();
  if (text === '') throw new UsageError('no key on standard input');
  if (/[^\x21-\x7e]/.test(text)) throw new UsageError('not an API key: it must be one word');
  return text;
}

async function revokeEarlier(io: Io, url: string, earlier: SavedServer | undefined, key: string): Promise<void> {
  if (earlier?.keyId == null || earlier.key === key) return;
  const api = createApi(io, { url, key: earlier.key, isKeyFromEnvironment: false });
  // It may have been revoked already; then there is nothing to do.
  await api.call('DELETE', `/api/keys/${encodeURIComponent(earlier.keyId)}`).catch(() => {});
}
