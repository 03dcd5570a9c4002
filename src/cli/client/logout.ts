/* `hooktape logout`: revokes the key of this machine and forgets it. */
import { exitCodes, OperationError, type Run, UnreachableError } from '../io.ts';
import { createApi } from './api.ts';
import { readGiven } from './given.ts';
import { printJson } from './output.ts';
import { changeSavedServers } from './saved-servers.ts';
import { findServer, originOf } from './server.ts';

export const runLogout: Run = async (args, io, usage) => {
  const given = readGiven(args, usage);
  const [named] = given.positionals;
  const env = named === undefined ? io.env : { ...io.env, HOOKTAPE_URL: originOf(named), HOOKTAPE_KEY: undefined };
  const { url, saved } = findServer({ env: { ...env, HOOKTAPE_KEY: undefined } }, given);
  if (!saved) throw new OperationError(`no key is saved for ${url}`);
  // Forgotten first: whatever happens then, this machine has signed out.
  changeSavedServers(io, all => {
    all.servers.delete(url);
    if (all.current === url) all.current = [...all.servers.keys()].at(-1);
  });
  const isRevoked = saved.keyId !== null && (await revoke(saved.keyId));
  const key = isRevoked ? 'its key is revoked' : 'its key stays valid until you revoke it in the settings';
  if (given.json) printJson(io, { ok: true, server: url, revoked: isRevoked });
  else io.stdout(`Signed out of ${url}: ${key}.\n`);
  if (io.env['HOOKTAPE_KEY']) io.stderr('HOOKTAPE_KEY is still set, and is used by other commands.\n');
  return exitCodes.done;

  /** @returns whether the key is no longer valid */
  async function revoke(keyId: string): Promise<boolean> {
    const api = createApi(io, { url, key: saved?.key, isKeyFromEnvironment: false });
    try {
      await api.call('DELETE', `/api/keys/${encodeURIComponent(keyId)}`);
      return true;
    } catch (error) {
      // Somebody else has revoked it.
      if ([401, 404].includes(Number((error as { status?: unknown }).status))) return true;
      if (!(error instanceof OperationError || error instanceof UnreachableError)) throw error;
      io.stderr(`hooktape: ${error.message}\n`);
      return false;
    }
  }
};
