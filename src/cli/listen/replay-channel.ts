/*
 * The channel through which the server sends replays to a connected listener: one operation that is called repeatedly. It waits
 * for replays and carries the results of earlier ones. It reconnects until it is closed or the server refuses permanently.
 */
import { setTimeout } from 'node:timers/promises';
import { encodeBody } from '../../core/encoding/body-encoding.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { keptResponseBytes } from '../../core/limits.ts';
import { firstCharacters, isPlainText } from '../../core/text.ts';
import type { ListenerAnswer, ListenerCall, ListenerReplay, ListenerReplays } from '../../features/listeners/model.ts';
import { type Api, RefusedError } from '../client/api.ts';

/** A replay from the server, ready for the target: with `x-service-replay`, and edited and signed if requested. */
export type ListenerRequest = Omit<ListenerReplay, 'id' | 'body' | 'bodyEncoding'> & { body: Uint8Array };

/** `destination`: the URL that it was sent to; null without one. The server stores the response, so do not report it. */
export type LocalAnswer =
  | {
      kind: 'answered';
      destination: string | null;
      status: number;
      headers: readonly HeaderPair[];
      body: Uint8Array;
      truncated: boolean;
      durationMs: number;
    }
  | { kind: 'failed'; destination: string | null; reason: string; durationMs: number };

export type ChannelState =
  | { kind: 'connected' }
  | { kind: 'disconnected'; reason: string; retryInMs: number }
  /** The server refuses permanently: the key or the endpoint is gone, or it does not have this operation. */
  | { kind: 'ended'; reason: string };

export type ReplayChannelOptions = {
  api: Pick<Api, 'call'>;
  endpointId: string;
  /** The consumer's name. */
  name: string;
  /** The description of its targets in the dashboard. */
  targets: readonly string[];
  /** Sends a replay to the target within `timeoutMs`. If it throws, the error is reported as the reason of the failure. */
  deliver: (request: ListenerRequest) => Promise<LocalAnswer>;
  /** Called when the state changes. */
  onState?: (state: ChannelState) => void;
  /** Overrides for tests. */
  waitSeconds?: number;
  silenceMs?: number;
  retryMs?: number;
};

const defaultWaitSeconds = 25;
/** A connection counts as dead after this long without a byte, even if the operating system disagrees. */
const defaultSilenceMs = 45_000;
const defaultRetryMs = 1000;
const maxRetryMs = 30_000;
/** How long the next call waits for a result to carry. */
const carryMs = 500;
const answersPerCall = 10;
const maxTargets = 20;
const maxKnown = 1000;
const maxRunning = 100;
const maxTargetCharacters = 300;
const maxReasonCharacters = 200;
const goodbyeMs = 2000;

export function openReplayChannel(options: ReplayChannelOptions) {
  const { api, endpointId, name, targets, deliver, onState = () => {} } = options;
  const { waitSeconds = defaultWaitSeconds, silenceMs = defaultSilenceMs, retryMs = defaultRetryMs } = options;
  const path = `/api/endpoints/${encodeURIComponent(endpointId)}/listeners/${encodeURIComponent(name)}`;
  const instance = crypto.randomUUID();
  const closing = new AbortController();
  const shown = targets
    .map(target => firstCharacters(withoutArguments(target), maxTargetCharacters))
    .filter(target => target !== '' && isPlainText(target))
    .slice(0, maxTargets);
  const answers: ListenerAnswer[] = [];
  /** Deliveries in progress. */
  const working = new Set<Promise<void>>();
  /** The ids of replays whose result the server does not have yet. */
  const open = new Set<string>();
  /** Received replays. The server sends a replay again if it does not know that it was received. */
  const known = new Set<string>();
  let isWaiting = false;
  let isSendingAnswers = false;
  let current: ChannelState['kind'] | undefined;

  const tell = (state: ChannelState): void => {
    if (state.kind !== current || state.kind === 'disconnected') onState(state);
    current = state.kind;
  };

  /** Makes one call. Results that it could not carry are kept for the next. */
  const exchange = async (given: Pick<ListenerCall, 'wait' | 'leaving'>, signal: AbortSignal): Promise<void> => {
    const carried = answers.splice(0, answersPerCall);
    try {
      const body: ListenerCall = {
        instance,
        targets: shown,
        ...given,
        answers: carried,
        running: [...open].slice(-maxRunning),
      };
      const { replays } = await api.call<ListenerReplays>('POST', path, { body, signal });
      for (const { id } of carried) open.delete(id);
      for (const replay of replays) if (!known.has(replay.id)) start(replay);
    } catch (error) {
      answers.unshift(...carried);
      throw error;
    }
  };

  const start = (replay: ListenerReplay): void => {
    known.add(replay.id);
    open.add(replay.id);
    if (known.size > maxKnown) for (const oldest of known.keys().take(1)) known.delete(oldest);
    const work = answerTo(replay, deliver).then(answer => {
      answers.push(answer);
      working.delete(work);
      // The waiting call cannot carry the result.
      if (isWaiting) void sendAnswers();
    });
    working.add(work);
  };

  const sendAnswers = async (): Promise<void> => {
    if (isSendingAnswers) return;
    isSendingAnswers = true;
    try {
      while (answers.length > 0) await exchange({}, AbortSignal.timeout(silenceMs));
    } catch {
      // The next call carries them.
    } finally {
      isSendingAnswers = false;
    }
  };

  const run = async (): Promise<void> => {
    for (let failures = 0; !closing.signal.aborted; ) {
      try {
        // The first call does not wait, because it only checks that the server is there.
        isWaiting = current === 'connected';
        const limit = AbortSignal.any([closing.signal, AbortSignal.timeout(silenceMs)]);
        await exchange(isWaiting ? { wait: waitSeconds } : {}, limit);
        failures = 0;
        tell({ kind: 'connected' });
      } catch (error) {
        if (closing.signal.aborted) return;
        const reason = (error as Error).message;
        if (isFinal(error)) return tell({ kind: 'ended', reason });
        const retryInMs = retryDelay(error, retryMs * 2 ** Math.min(failures++, 10));
        tell({ kind: 'disconnected', reason, retryInMs });
        await sleep(retryInMs, closing.signal);
      } finally {
        isWaiting = false;
      }
      if (working.size > 0) await Promise.race([...working, sleep(carryMs, closing.signal)]);
    }
  };

  const ended = run();
  return {
    /** Tells the server that the listener has left. Resolves once the results of finished replays are sent. */
    async close(): Promise<void> {
      closing.abort();
      await ended;
      if (current !== 'ended') await exchange({ leaving: true }, AbortSignal.timeout(goodbyeMs)).catch(() => {});
    },
  };
}

async function answerTo(
  { id, body, bodyEncoding, ...request }: ListenerReplay,
  deliver: ReplayChannelOptions['deliver'],
): Promise<ListenerAnswer> {
  const startedAt = performance.now();
  try {
    const answer = await deliver({ ...request, body: Buffer.from(body, bodyEncoding) });
    const { destination } = answer;
    const durationMs = Math.round(answer.durationMs);
    if (answer.kind === 'failed') return { id, destination, status: null, durationMs, error: shortened(answer.reason) };
    const kept = answer.body.subarray(0, keptResponseBytes);
    const truncated = answer.truncated || kept.length < answer.body.length;
    const headers = keptHeaders(answer.headers);
    return {
      id,
      destination,
      status: answer.status,
      durationMs,
      response: { headers, ...encodeBody(kept), truncated },
    };
  } catch (error) {
    const durationMs = Math.round(performance.now() - startedAt);
    return { id, destination: null, status: null, durationMs, error: shortened((error as Error).message) };
  }
}

/** Keeps more headers than the server stores, but few enough for ten results in one call. */
function keptHeaders(headers: readonly HeaderPair[]): [string, string][] {
  let size = 0;
  return headers.flatMap(([name, value]): [string, string][] => {
    size += name.length + value.length;
    return size <= 2 * keptResponseBytes ? [[name, value]] : [];
  });
}

/** The arguments of a program may contain secrets. */
const withoutArguments = (target: string): string =>
  target.startsWith('exec:') ? target.replace(/\s.*$/s, '') : target;

const shortened = (reason: string): string => reason.slice(0, maxReasonCharacters);

/** Whether a retry cannot help. */
const isFinal = (error: unknown): boolean =>
  error instanceof RefusedError && error.status >= 400 && error.status < 500 && ![408, 429].includes(error.status);

const retryDelay = (error: unknown, ms: number): number => {
  const { retryAfterSeconds } = error as Partial<RefusedError>;
  return retryAfterSeconds === undefined ? Math.min(ms, maxRetryMs) : retryAfterSeconds * 1000;
};

/** Ends early when the signal aborts. */
const sleep = (ms: number, signal: AbortSignal): Promise<void> => setTimeout(ms, undefined, { signal }).catch(() => {});
