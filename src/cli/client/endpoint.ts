/* `hooktape endpoint list|create|delete`. */
import type { Endpoint } from '../../features/endpoints/model.ts';
import { type Arguments, type Io, OperationError, type Run } from '../io.ts';
import { type Api, connect, whenRefused } from './api.ts';
import { findEndpoint } from './find.ts';
import { counted, printJson, printResult, printTable, safeLine } from './output.ts';

export const runEndpoint: Run = async (given, io) => {
  const api = connect(io, given);
  if (given.verb === 'list') return list(io, api, given);
  return given.verb === 'create' ? create(io, api, given) : remove(io, api, given);
};

async function list(io: Io, api: Api, { json }: Arguments): Promise<void> {
  const answer = await api.call<{ endpoints: Endpoint[] }>('GET', '/api/endpoints');
  if (json) return printJson(io, answer);
  printTable(
    io,
    answer.endpoints.map(({ id, name, url, eventCount }) => [id, name, counted(eventCount, 'event'), url]),
  );
  if (answer.endpoints.length === 0) io.stderr('No endpoints yet: hooktape endpoint create NAME\n');
}

async function create(io: Io, api: Api, given: Arguments): Promise<void> {
  const made = await api.call<Endpoint>('POST', '/api/endpoints', { body: { name: given.argument(0) } });
  printResult(io, given, made, `${safeLine(made.url)}\n`);
  if (!given.json)
    io.stderr(`Created ${safeLine(made.name)} (${safeLine(made.id)}). Register the URL with the sender.\n`);
}

async function remove(io: Io, api: Api, given: Arguments): Promise<void> {
  // What is deleted must be named exactly: a second `delete Shop` must not delete another endpoint, `shop`.
  const { id, name, eventCount } = await findEndpoint(api, given.argument(0), 'exact');
  const pinned = given.flag('pinned') ? 'true' : undefined;
  if (io.ask && !given.flag('yes')) {
    const answer = await io.ask(`Delete ${safeLine(name)} and its ${counted(eventCount, 'event')}? [y/N] `, false);
    if (!/^y(es)?$/i.test(answer.trim())) throw new OperationError('cancelled: nothing was deleted');
  }
  const done = await api.call('DELETE', `/api/endpoints/${id}`, { query: { pinned } }).catch(
    whenRefused(409, ({ message }) => {
      throw new OperationError(`${message}; use --pinned to delete them too`);
    }),
  );
  printResult(io, given, done, `deleted ${safeLine(id)}\n`);
}
