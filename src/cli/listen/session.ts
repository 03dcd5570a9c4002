/* A session of `hooktape listen`. It ends by `stop`, by --on-fail stop, or if no endpoint is left. */

import type { ReplayEdit } from '../../core/replay/edit-schema.ts';
import type { EventDetail } from '../../features/events/model.ts';
import { type Api, RefusedError, whenRefused } from '../client/api.ts';
import { explainRefusal } from '../client/signature-hint.ts';
import { type Io, OperationError } from '../io.ts';
import { fromDetail } from './captured.ts';
import { sendCommand } from './command.ts';
import type { SessionLane } from './endpoint-listener.ts';
import { createEndpointListener, type EndpointStart } from './endpoint-listener.ts';
import { readViewFilter } from './matching.ts';
import type { CapturedEvent, ListenEvent, ListenSession, SessionEvent, TargetResponse } from './model.ts';
import type { ListenOptions } from './options.ts';
import { createPause } from './pause.ts';

/** The time for deliveries in progress when the session ends, and for saving the position afterwards. */
const finishMs = 5000;
const flushMs = 3000;

export function createSession(given: {
  io: Io;
  api: Api;
  starts: readonly EndpointStart[];
  lanes: readonly SessionLane[];
  options: ListenOptions;
}): { session: ListenSession; run: () => Promise<void> } {
  const { io, api, starts, lanes, options } = given;
  const stopping = new AbortController();
  const aborting = new AbortController();
  const listeners = new Set<(event: ListenEvent) => void>();
  const away = new Map<string, string>();
  let isPaused = false;
  let isConnected = false;
  let lastBehind = -1;
  let failure: Error | undefined;

  const emit = (event: SessionEvent): void => {
    for (const on of listeners) on({ at: io.clock.now(), ...event });
  };
  const behind = (): number => endpoints.reduce((sum, one) => sum + one.behind(), 0);
  const say = (event: SessionEvent): void => {
    emit(event);
    tellBehind();
  };
  const tellBehind = (): void => {
    const now = behind();
    if (now === lastBehind) return;
    lastBehind = now;
    emit({ kind: 'behind', behind: now });
  };
  const connected = (): void => {
    isConnected = true;
    emit({ kind: 'connected', server: api.server.url, endpoints: starts.map(({ endpoint }) => endpoint.name) });
  };
  /** @param problem undefined if the endpoint's feed can be read */
  const onState = (endpointId: string, problem: string | undefined): void => {
    if (problem !== undefined) away.set(endpointId, problem);
    else away.delete(endpointId);
    if (isConnected && problem !== undefined) {
      isConnected = false;
      emit({ kind: 'disconnected', server: api.server.url, reason: problem });
    } else if (!isConnected && away.size === 0) connected();
  };
  const end = (error?: Error): void => {
    failure ??= error;
    stopping.abort();
    for (const one of endpoints) one.wake();
  };
  const hintFor = async (
    event: CapturedEvent,
    { status }: TargetResponse,
    isBodyEdited: boolean,
  ): Promise<string | null> => {
    if (options.signing || status === null) return null;
    return (await explainRefusal(event, { status, isBodyEdited, now: io.clock.now() })) ?? null;
  };

  const endpoints = starts.map(start =>
    createEndpointListener({
      ...given,
      start,
      stopping: stopping.signal,
      aborting: aborting.signal,
      isPaused: () => isPaused,
      say,
      tellBehind,
      hintFor,
      onState: problem => onState(start.endpoint.id, problem),
      onStop: reason => end(new OperationError(`${reason}; stopped by --on-fail stop`)),
    }),
  );

  /** The full event and its endpoint. @throws OperationError if it no longer exists */
  const find = async (eventId: string) => {
    const detail = await api.call<EventDetail>('GET', `/api/events/${encodeURIComponent(eventId)}`).catch(
      whenRefused(404, () => {
        throw new OperationError(`${eventId} has been deleted`);
      }),
    );
    const listener = endpoints.find(({ endpoint }) => endpoint.id === detail.endpointId);
    if (!listener) throw new OperationError(`${eventId} belongs to another endpoint`);
    return { event: fromDetail(listener.endpoint, detail), listener };
  };

  const sendNow = async (eventId: string, edit: ReplayEdit): Promise<TargetResponse[]> => {
    const { event, listener } = await find(eventId);
    return listener.sendNow(event, edit);
  };

  const finish = async (): Promise<void> => {
    const pause = createPause(io, new AbortController().signal);
    await Promise.race([Promise.all(endpoints.map(one => one.untilIdle())), pause(finishMs)]);
    aborting.abort();
    await Promise.race([Promise.all(endpoints.map(one => one.flush())), pause(flushMs)]);
  };

  const ended = Promise.withResolvers<void>();
  const run = async (): Promise<void> => {
    connected();
    tellBehind();
    const alive = new Set(endpoints);
    await Promise.all(
      endpoints.map(async one => {
        try {
          await one.run();
        } catch (error) {
          alive.delete(one);
          const isGone = error instanceof RefusedError && error.status === 404;
          const problem = isGone ? new OperationError(`the endpoint ${one.endpoint.name} has been deleted`) : error;
          // The other endpoints continue, unless the key is no longer valid.
          if (isGone && alive.size > 0) emit({ kind: 'notice', text: (problem as Error).message });
          else end(problem as Error);
        }
      }),
    );
    await finish();
    ended.resolve();
    if (failure) throw failure;
  };

  const session: ListenSession = {
    targets: lanes.map(({ target: { name, url }, map }) => ({ name, url, where: map?.where ?? null })),
    subscribe(on) {
      listeners.add(on);
      return () => listeners.delete(on);
    },
    behind,
    isConnected: () => isConnected,
    isPaused: () => isPaused,
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      for (const one of endpoints) one.wake();
    },
    again: eventId => sendNow(eventId, {}),
    sendEdited: sendNow,
    skip: eventId => endpoints.some(one => one.skip(eventId)),
    pin: async eventId => {
      await api.call('PUT', `/api/events/${encodeURIComponent(eventId)}/pin`, { body: {} });
    },
    setFilter: where => readViewFilter(where, io.clock.now),
    openUrl: eventId => {
      const endpoint = endpoints.find(one => one.has(eventId))?.endpoint ?? starts[0]?.endpoint;
      return `${api.server.url}/app/endpoints/${endpoint?.id}/events/${encodeURIComponent(eventId)}`;
    },
    command: eventId => sendCommand(eventId, lanes, options),
    stop: error => {
      end(error);
      return ended.promise;
    },
  };
  return { session, run };
}
