/*
 * Listeners: programs on other machines, such as `hooktape listen`, that take replays and report the response of a local handler.
 * A listener calls one operation again and again; access is checked again before it gets a replay. Each of several processes on
 * one database knows only the listeners that call it.
 */

import { requireUser } from '../../core/access/permissions.ts';
import type { Principal, TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { decodeBody } from '../../core/encoding/body-encoding.ts';
import { AppError, invalidAt, unauthorized, unavailable } from '../../core/errors.ts';
import { parseEventId } from '../../core/ids/ids.ts';
import { largeBodyBytes } from '../../core/limits.ts';
import { readDestination } from '../../core/network/destination.ts';
import { isPlainText } from '../../core/text.ts';
import { consumerNameForm, isConsumerName } from '../../shared/consumer-name.ts';
import type { EventSummary } from '../events/model.ts';
import type { ReadableEndpoint } from '../events/reading.ts';
import type { Connection, Connections, Pending, Settled } from './connections.ts';
import { type ListenerAnswer, type ListenerCall, type ListenerList, maxListenerAnswers } from './model.ts';
import type { GivenReplay, ReplaysWriter } from './replays-stream.ts';

/** The request of a listener. */
export type ListenerRequest = {
  principal: Principal;
  /** Authenticates the request again; undefined when its credentials are no longer valid. */
  recheck: () => Promise<Principal | undefined>;
  /** Aborted when the client disconnects. */
  signal: AbortSignal | undefined;
};

type Access = { principal: Principal; endpoint: ReadableEndpoint };

export type ListenersService = ReturnType<typeof createListenersService>;

/** The listener's own time limit is this much shorter, so that it can report the reason itself. */
const marginMs = 1000;
const leastTimeoutMs = 500;

export function createListenersService(options: {
  connections: Connections;
  clock: Pick<Clock, 'monotonic'>;
  /** The endpoint, when it belongs to the principal's team. @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<ReadableEndpoint>;
  /** The events with these row numbers that are still there. */
  summaries: (principal: TeamAccess, endpoint: ReadableEndpoint, seqs: number[]) => Promise<EventSummary[]>;
  writeReplays: ReplaysWriter;
}) {
  const { connections, clock, endpoint: findEndpoint, summaries, writeReplays } = options;
  let isShuttingDown = false;

  /** @throws unauthorized, forbidden, not_found when access has ended */
  const verify = async ({ principal, recheck }: ListenerRequest, endpointId: string): Promise<Access> => {
    const now = await recheck();
    if (now?.accountId !== principal.accountId) throw unauthorized();
    requireUser(now);
    return { principal: now, endpoint: await findEndpoint(now, endpointId) };
  };

  /** The next replays: several small ones or one large one. */
  const take = ({ waiting, taken }: Connection): Pending[] => {
    let bytes = 0;
    const end = waiting.findIndex(({ replay }, index) => {
      bytes += replay.body.length;
      return index > 0 && (bytes > largeBodyBytes || index >= maxListenerAnswers);
    });
    const next = waiting.splice(0, end < 0 ? waiting.length : end);
    for (const pending of next) taken.set(pending.id, pending);
    return next;
  };

  const describe = async (access: Access, pending: readonly Pending[]): Promise<GivenReplay[]> => {
    const seqs = [...new Set(pending.map(({ replay }) => replay.seq))].sort((a, b) => a - b);
    const listed = seqs.length > 0 ? await summaries(access.principal, access.endpoint, seqs) : [];
    const events = new Map(listed.map(event => [parseEventId(event.id)?.seq, event]));
    return pending.flatMap(one => {
      const event = events.get(one.replay.seq);
      if (!event) {
        one.settle({ kind: 'unreachable', reason: 'the event has been deleted in the meantime' });
        return [];
      }
      const timeoutMs = Math.max(leastTimeoutMs, Math.round(one.deadlineAt - clock.monotonic() - marginMs));
      return [{ pending: one, event, timeoutMs }];
    });
  };

  /** @returns replays that the listener may get */
  const giveOut = async (request: ListenerRequest, connection: Connection, access: Access): Promise<GivenReplay[]> => {
    const taken = take(connection);
    const putBack = (): void => {
      for (const { id } of taken) connection.taken.delete(id);
      connection.waiting.unshift(...taken);
    };
    try {
      const given = await describe(access, taken);
      if (!request.signal?.aborted) return given;
    } catch (error) {
      putBack();
      throw error;
    }
    putBack();
    return [];
  };

  /** Waits for replays, or until `until`. @returns an empty list if the client has disconnected or a newer call waits */
  const next = async (
    request: ListenerRequest,
    { endpointId, connection, until, ...first }: { endpointId: string; connection: Connection; until: number } & Access,
  ): Promise<GivenReplay[]> => {
    const mayWait = until > clock.monotonic() ? connections.startWaiting(connection) : () => true;
    for (let access: Access = first; ; access = await verify(request, endpointId)) {
      while (connection.waiting.length > 0 && !request.signal?.aborted) {
        const given = await giveOut(request, connection, access);
        if (given.length > 0) return given;
      }
      const leftMs = until - clock.monotonic();
      if (leftMs <= 0 || request.signal?.aborted || isShuttingDown || !mayWait()) return [];
      if (!(await connections.wait(connection, leftMs, request.signal))) return [];
    }
  };

  return {
    /** @throws not_found */
    async list(principal: TeamAccess, endpointId: string): Promise<ListenerList> {
      const { seq } = await findEndpoint(principal, endpointId);
      return { listeners: connections.list(seq) };
    },

    /**
     * Records the results of earlier replays, then returns the next replays as JSON text and waits for the first of them.
     * @throws invalid, not_found, unauthorized when access ends during the wait, rate_limited beyond the limits, unavailable
     */
    async call(
      request: ListenerRequest,
      { id: endpointId, name }: { id: string; name: string },
      { instance, targets = [], answers = [], running, wait = 0, leaving = false }: ListenerCall,
    ): Promise<ReadableStream<Uint8Array>> {
      const { accountId, email } = request.principal;
      requireUser(request.principal);
      if (!isConsumerName(name)) throw invalidAt(['name'], `must be ${consumerNameForm}`);
      if (!targets.every(isPlainText)) throw invalidAt(['targets'], 'must be plain text without control characters');
      const endpoint = await findEndpoint(request.principal, endpointId);
      if (isShuttingDown) throw unavailable('shutting down, try again', 1);
      const outcomes = answers.map(toOutcome);
      const identity = { endpoint: endpoint.seq, name, instance, accountId };
      const connection = connections.enter(identity, { email, targets });
      for (const { id, outcome } of outcomes) {
        connection.taken.get(id)?.settle(outcome);
        connection.taken.delete(id);
      }
      if (running) connections.giveAgain(connection, running);
      try {
        if (leaving) {
          connections.remove(connection);
          return writeReplays([]);
        }
        const until = clock.monotonic() + wait * 1000;
        return writeReplays(
          await next(request, { endpointId, connection, until, endpoint, principal: request.principal }),
        );
      } catch (error) {
        if (hasAccessEnded(error)) connections.remove(connection);
        throw error;
      } finally {
        connections.leave(connection, request.signal?.aborted ?? false);
      }
    },

    /** Sends a replay to a listener of an endpoint. */
    send: connections.send,
    /** Call it whenever access of any kind ends. */
    recheckAll: connections.wakeAll,
    /** Ends all waiting calls, permanently. */
    shutDown(): void {
      isShuttingDown = true;
      connections.wakeAll();
    },
  };
}

const hasAccessEnded = (error: unknown): boolean =>
  error instanceof AppError && ['unauthorized', 'forbidden', 'not_found'].includes(error.code);

/** @throws invalid for a body that is not in its encoding */
function toOutcome({ id, destination: given, status, durationMs, error, response }: ListenerAnswer): {
  id: string;
  outcome: Settled;
} {
  const destination = given !== null && isDestination(given) ? given : null;
  if (status === null) {
    const why = error !== undefined && error !== '' && isPlainText(error) ? `: ${error}` : '';
    return {
      id,
      outcome: { kind: 'unreachable', destination, reason: `the listener got no answer${why}`, durationMs },
    };
  }
  const { headers = [], body = '', bodyEncoding = 'utf8', truncated = false } = response ?? {};
  const preview = decodeBody(body, bodyEncoding, 'response.body');
  return { id, outcome: { kind: 'answered', destination, status, headers, preview, truncated, durationMs } };
}

/** Whether the target is a URL: a listener that runs a program has none. */
function isDestination(given: string): boolean {
  try {
    return readDestination(given) === given;
  } catch {
    return false;
  }
}
