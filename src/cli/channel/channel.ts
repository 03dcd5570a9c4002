/* `hooktape channel`: an MCP server that pushes events to a coding agent. Problems end it before the handshake. */
import { type Api, connect, createApi, RefusedError } from '../client/api.ts';
import { findEndpoint } from '../client/find.ts';
import { safeLine } from '../client/output.ts';
import { requireServer } from '../client/server.ts';
import { type Io, OperationError, type Run } from '../io.ts';
import { createPause } from '../listen/pause.ts';
import { type ChannelStart, createEndpointChannel, findChannelStart } from './endpoint-channel.ts';
import { createChannelServer } from './mcp-server.ts';
import { type ChannelOptions, readChannelOptions } from './options.ts';
import { createTools } from './tools.ts';

/** How long the end of a session waits for positions that are not saved yet. */
const flushMs = 3000;

export const runChannel: Run = async (given, io) => {
  const options = readChannelOptions(given);
  const starts = await findStarts(connect(io, given), options);
  await runSession(io, createApi(io, requireServer(io, given), false), starts, options);
};

/** @throws UsageError, OperationError, RefusedError, UnreachableError */
async function findStarts(api: Api, { endpoints, name }: ChannelOptions): Promise<ChannelStart[]> {
  const found = new Map<string, ChannelStart['endpoint']>();
  for (const given of endpoints) {
    const endpoint = await findEndpoint(api, given);
    found.set(endpoint.id, endpoint);
  }
  const starts: ChannelStart[] = [];
  for (const endpoint of found.values())
    try {
      starts.push(await findChannelStart(api, endpoint, name));
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== 403) throw error;
      throw new OperationError(`the position of the channel cannot be saved: ${error.message}`);
    }
  return starts;
}

/** Ends with standard input, a signal, or the reader of standard output. @throws if no endpoint can be read any more */
async function runSession(io: Io, api: Api, starts: readonly ChannelStart[], options: ChannelOptions): Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const notify = (text: string): void => io.stderr(`${safeLine(text)}\n`);
  let failure: Error | undefined;
  const end = (error?: Error): void => {
    failure ??= error;
    stopping.abort();
  };

  const connection = createConnection(api, notify);
  const channels = starts.map(start =>
    createEndpointChannel({
      io,
      task: { api, endpointId: start.endpoint.id, pause: createPause(io, signal), signal, notify },
      start,
      options,
      push: notification => server.push(notification),
      onState: problem => connection.set(start.endpoint.id, problem),
    }),
  );
  const alive = new Set(channels);
  const read = async (channel: (typeof channels)[number]): Promise<void> => {
    try {
      await channel.run();
    } catch (error) {
      alive.delete(channel);
      // The other endpoints continue, unless the key is no longer valid.
      if (error instanceof OperationError && !(error instanceof RefusedError) && alive.size > 0) notify(error.message);
      else end(error as Error);
    }
  };
  let isReading = false;
  const onInitialized = (): void => {
    if (!isReading) for (const channel of channels) void read(channel);
    isReading = true;
  };
  const server = await createChannelServer(io, createTools(api, channels), { onInitialized, onClosed: end });
  void io.untilSignal().then(() => end());
  await server.run(signal);
  end();
  await Promise.race([Promise.all(channels.map(channel => channel.flush().catch(() => {}))), io.sleep(flushMs)]);
  if (failure) throw failure;
}

/** Says once that the server cannot be reached, and once that it can again. */
function createConnection(api: Api, notify: (text: string) => void) {
  const away = new Set<string>();
  return {
    set(endpointId: string, problem: string | undefined): void {
      const wasAway = away.size > 0;
      if (problem === undefined) away.delete(endpointId);
      else away.add(endpointId);
      if (!wasAway && problem !== undefined) notify(`${problem}; trying again`);
      if (wasAway && away.size === 0) notify(`connected to ${api.server.url} again`);
    },
  };
}
