/* `hooktape logout`: revokes the key of this machine and forgets it. */
import { OperationError, type Run, UnreachableError } from '../io.ts';
import { createApi } from './api.ts';
import { printResult } from './output.ts';
import { changeSavedServers } from './saved-servers.ts';
import { findServer, originOf } from './server.ts';

export const runLogout: Run = async (given, io) => {
  const [named] = given.positionals;
  const env = named === undefined ? io.env : { ...io.env, HOOKTAPE_URL: originOf(named), HOOKTAPE_KEY: undefined };
  const { url, saved } = findServer({ env: { ...env, HOOKTAPE_KEY: undefined } }, given);
  if (!saved) throw new OperationError(`no key is saved for ${url}`);
  // The key is forgotten first, so that this machine is signed out even if revoking fails.
  changeSavedServers(io, all => {
    all.servers.delete(url);
    if (all.current === url) all.current = [...all.servers.keys()].at(-1);
  });
  const isRevoked = saved.keyId !== null && (await revoke(saved.keyId));
  const key = isRevoked ? 'the key was revoked' : 'the key stays valid until you revoke it in the settings';
  printResult(io, given, { ok: true, server: url, revoked: isRevoked }, `Signed out of ${url}: ${key}.\n`);
  if (io.env['HOOKTAPE_KEY']) io.stderr('HOOKTAPE_KEY is still set, and other commands will use it.\n');

  /** @returns whether the key is no longer valid */
  async function revoke(keyId: string): Promise<boolean> {
    const api = createApi(io, { url, key: saved?.key, isKeyFromEnvironment: false });
    try {
      await api.call('DELETE', `/api/keys/${encodeURIComponent(keyId)}`);
      return true;
    } catch (error) {
      // The key was already revoked.
      if ([401, 404].includes(Number((error as { status?: unknown }).status))) return true;
      if (!(error instanceof OperationError || error instanceof UnreachableError)) throw error;
      io.stderr(`hooktape: ${error.message}\n`);
      return false;
    }
  }
};
