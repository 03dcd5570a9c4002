/* `hooktape mark`: the position after the newest event of an endpoint, for `expect --after`. */
import type { FeedPage } from '../../features/feed/model.ts';
import { exitCodes, type Run } from '../io.ts';
import { connect } from './api.ts';
import { parseClientArguments } from './client-arguments.ts';
import { findEndpointId } from './find.ts';
import { printJson, safeLine } from './output.ts';

export const runMark: Run = async (args, io, usage) => {
  const given = parseClientArguments(args, usage);
  const api = connect(io, given);
  const id = await findEndpointId(api, given.argument(0));
  const query = { after: 'now', limit: 1 };
  const page = await api.call<FeedPage>('GET', `/api/endpoints/${encodeURIComponent(id)}/feed`, { query });
  if (given.json) printJson(io, page);
  else io.stdout(`${safeLine(page.cursor)}\n`);
  return exitCodes.done;
};
