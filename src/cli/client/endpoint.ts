/* `hooktape endpoint list|create|delete`. */
import type { Endpoint } from '../../features/endpoints/model.ts';
import { exitCodes, type Io, OperationError, type Run, UsageError } from '../io.ts';
import { type Api, connect } from './api.ts';
import { type ClientArguments, parseClientArguments } from './client-arguments.ts';
import { findEndpoint } from './find.ts';
import { counted, printJson, printTable, safeLine } from './output.ts';

export const runEndpoint: Run = async (args, io, usage) => {
  const given = parseClientArguments(args, usage);
  const api = connect(io, given);
  const [verb] = args;
  if (verb === 'list') await list(io, api, given);
  else if (verb === 'create') await create(io, api, given);
  else if (verb === 'delete') await remove(io, api, given);
  else throw new UsageError(`unknown subcommand: endpoint ${verb}`);
  return exitCodes.done;
};

async function list(io: Io, api: Api, { json }: ClientArguments): Promise<void> {
  const answer = await api.call<{ endpoints: Endpoint[] }>('GET', '/api/endpoints');
  if (json) return printJson(io, answer);
  printTable(
    io,
    answer.endpoints.map(({ id, name, url, eventCount }) => [id, name, counted(eventCount, 'event'), url]),
  );
  if (answer.endpoints.length === 0) io.stderr('No endpoints yet: hooktape endpoint create NAME\n');
}

async function create(io: Io, api: Api, given: ClientArguments): Promise<void> {
  const made = await api.call<Endpoint>('POST', '/api/endpoints', { body: { name: given.argument(0) } });
  if (given.json) return printJson(io, made);
  io.stdout(`${safeLine(made.url)}\n`);
  io.stderr(`Created ${safeLine(made.name)} (${safeLine(made.id)}). Register the URL with the sender.\n`);
}

async function remove(io: Io, api: Api, given: ClientArguments): Promise<void> {
  // What is deleted must be named exactly: a second `delete Shop` must not delete another endpoint, `shop`.
  const { id, name, eventCount } = await findEndpoint(api, given.argument(0), 'exact');
  const pinned = given.flag('pinned') ? 'true' : undefined;
  if (io.ask && !given.flag('yes')) {
    const answer = await io.ask(`Delete ${safeLine(name)} and its ${counted(eventCount, 'event')}? [y/N] `, false);
    if (!/^y(es)?$/i.test(answer.trim())) throw new OperationError('cancelled: nothing was deleted');
  }
  const done = await api.call('DELETE', `/api/endpoints/${id}`, { query: { pinned } }).catch(error => {
    if ((error as { status?: unknown }).status !== 409) throw error;
    throw new OperationError(`${(error as Error).message}; use --pinned to delete them too`);
  });
  if (given.json) printJson(io, done);
  else io.stdout(`deleted ${safeLine(id)}\n`);
}
