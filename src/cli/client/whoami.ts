/* `hooktape whoami`: the account, the server and the key that commands use. */
import type { Account } from '../../features/accounts/model.ts';
import type { ApiKey } from '../../features/keys/model.ts';
import type { Run } from '../io.ts';
import { type Api, connect } from './api.ts';
import { printJson, printTable } from './output.ts';

export const runWhoami: Run = async (given, io) => {
  const api = connect(io, given);
  const account = await api.call<Account>('GET', '/api/me');
  const readOnly = await isReadOnly(api).catch(() => undefined);
  if (given.json) return printJson(io, { ...account, ...(readOnly !== undefined && { readOnly }) });
  const { url, isKeyFromEnvironment } = api.server;
  printTable(io, [[account.email, account.plan, url]]);
  if (isKeyFromEnvironment) io.stderr('With the key in HOOKTAPE_KEY.\n');
  if (readOnly !== undefined) io.stderr(readOnly ? 'The key may only read.\n' : 'The key may read and write.\n');
};

/** Whether the key in use may only read; undefined if several keys of the account have the same last characters. */
async function isReadOnly(api: Api): Promise<boolean | undefined> {
  const { keys } = await api.call<{ keys: ApiKey[] }>('GET', '/api/keys');
  const fitting = keys.filter(({ last4 }) => api.server.key?.endsWith(last4));
  return fitting.length === 1 ? fitting[0]?.readOnly : undefined;
}
