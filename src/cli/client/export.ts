/* `hooktape export`: streams the history of an endpoint to stdout. */
import type { Run } from '../io.ts';
import { connect, reach } from './api.ts';
import { findEndpointId } from './find.ts';
import { safeText } from './output.ts';

export const runExport: Run = async (given, io) => {
  const api = connect(io, given);
  const id = await findEndpointId(api, given.argument(0));
  const query = { where: given.option('where'), format: given.option('format') };
  const reader = (await api.open(`/api/endpoints/${encodeURIComponent(id)}/export`, query)).body?.getReader();
  const decoder = new TextDecoder();
  while (reader) {
    const { value, done } = await reach(api.server.url, () => reader.read());
    if (done) break;
    if (io.outputTerminal) io.stdout(safeText(decoder.decode(value, { stream: true })));
    else io.stdoutBytes(value);
  }
};
