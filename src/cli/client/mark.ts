/* `hooktape mark`: the position after the newest event of an endpoint, for `expect --after`. */
import type { FeedPage } from '../../features/feed/model.ts';
import type { Run } from '../io.ts';
import { connect } from './api.ts';
import { findEndpointId } from './find.ts';
import { printResult, safeLine } from './output.ts';

export const runMark: Run = async (given, io) => {
  const api = connect(io, given);
  const id = await findEndpointId(api, given.argument(0));
  const query = { after: 'now', limit: 1 };
  const page = await api.call<FeedPage>('GET', `/api/endpoints/${encodeURIComponent(id)}/feed`, { query });
  printResult(io, given, page, `${safeLine(page.cursor)}\n`);
};
