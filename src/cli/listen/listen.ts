/* `hooktape listen`: delivers events to this machine. Arguments and server are checked before any position moves. */
import { type Api, connect, createApi } from '../client/api.ts';
import { findEndpoint } from '../client/find.ts';
import { safeLine } from '../client/output.ts';
import { requireServer } from '../client/server.ts';
import type { Io, Run } from '../io.ts';
import type { EndpointStart, SessionLane } from './endpoint-listener.ts';
import { printSession } from './lines.ts';
import type { ListenSession } from './model.ts';
import { type ListenOptions, type Output, readOptions } from './options.ts';
import { createProgramTarget } from './program-target.ts';
import { createSession } from './session.ts';
import { findStart } from './start-position.ts';
import { createUrlTarget } from './target.ts';

export const runListen: Run = async (given, io) => {
  const options = await readOptions(io, given);
  const lanes = await createLanes(io, options);
  const starts = await findStarts(io, connect(io, given), options);
  // The session itself waits for the rate limit, so that nothing else is delayed.
  const api = createApi(io, requireServer(io, given), false);
  const { session, run } = createSession({ io, api, starts, lanes, options });
  const output = await showOutput(io, session, options.output);
  void io.untilSignal().then(() => session.stop());
  try {
    await Promise.race([run(), output.done]);
  } finally {
    output.end();
  }
};

/** `done`: the user has ended the session without waiting for running deliveries. */
async function showOutput(
  io: Io,
  session: ListenSession,
  output: Output,
): Promise<{ done: Promise<void>; end: () => void }> {
  if (output !== 'tui') return { done: new Promise(() => {}), end: printSession(io, session, output) };
  const { showSession } = await import('./tui/view.ts');
  const { done, close } = await showSession(io, session);
  return { done, end: close };
}

/** @throws UsageError for a target to which events may not go */
async function createLanes(io: Io, options: ListenOptions): Promise<SessionLane[]> {
  const { maps, rest, timeoutMs } = options;
  const about = { ...options, headers: options.edits.headers };
  const lanes = await Promise.all(
    maps.map(
      async (map): Promise<SessionLane> => ({
        map,
        target: await createUrlTarget(io, map.url, { ...about, option: '--map' }),
      }),
    ),
  );
  if (!rest) return lanes;
  const target =
    'url' in rest
      ? await createUrlTarget(io, rest.url, { ...about, option: '--to' })
      : createProgramTarget(io, rest.command, timeoutMs);
  return [...lanes, { map: undefined, target }];
}

/** @throws UsageError, OperationError, RefusedError, BacklogError */
async function findStarts(io: Io, api: Api, options: ListenOptions): Promise<EndpointStart[]> {
  const starts = new Map<string, EndpointStart>();
  for (const name of options.endpoints) {
    const endpoint = await findEndpoint(api, name);
    if (starts.has(endpoint.id)) continue;
    starts.set(endpoint.id, { ...(await findStart(io, api, endpoint, options)), endpoint });
    if (endpoint.paused)
      io.stderr(`${safeLine(endpoint.name)} is paused and accepts no deliveries. Resume it in its settings.\n`);
  }
  return [...starts.values()];
}
