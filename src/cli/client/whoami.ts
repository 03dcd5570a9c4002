/* `hooktape whoami`: the account and the server that commands use. */
import type { Account } from '../../features/accounts/model.ts';
import { exitCodes, type Run } from '../io.ts';
import { connect } from './api.ts';
import { parseClientArguments } from './client-arguments.ts';
import { printJson, printTable } from './output.ts';

export const runWhoami: Run = async (args, io, usage) => {
  const given = parseClientArguments(args, usage);
  const api = connect(io, given);
  const account = await api.call<Account>('GET', '/api/me');
  const { url, isKeyFromEnvironment } = api.server;
  if (given.json) printJson(io, account);
  else printTable(io, [[account.email, account.plan, url]]);
  if (isKeyFromEnvironment && !given.json) io.stderr('With the key in HOOKTAPE_KEY.\n');
  return exitCodes.done;
};
