/*
 * The open connections of one listener: the phase of each (phase.ts), its deadlines, and its queue of pipelined requests, which
 * are answered in order. Silent and slow connections are closed; a shutdown lets busy ones finish. It does not depend on who reads the
 * sockets: the fast path, the HTTP server, or one after the other.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type BodyPace, keepsPace, startPace } from './body-pace.ts';
import { type ConnectionLimitOptions, type ConnectionSlot, createConnectionLimit } from './connection-limit.ts';
import { type ConnectionLimits, isBusyPhase, type Phase, phaseLimitsMs } from './phase.ts';
import { type ProtocolError, protocolErrorMessage } from './protocol-errors.ts';

/** Whether the HTTP server's parser gets more: `now`: feed it; `later`: buffer, up to a bound; `never`: discard. */
export type ReadDecision = 'now' | 'later' | 'never';

export type Connection = {
  readonly socket: Socket;
  setPhase: (phase: Phase) => void;
  /** Whether the server is shutting down: the response to the current request is the connection's last. */
  isStopping: () => boolean;
  /** Accepted beyond the connection limit, on a place reserved for health probes: no other request is answered. */
  readonly isReserved: boolean;
  /**
   * Sends the last bytes and closes the connection, but goes on reading for a while and discards what arrives: closing a socket
   * while the client is still sending would destroy the response on its way (RFC 9112 section 9.6).
   */
  endWith: (lastBytes?: string | Buffer) => void;
  /** Whether the HTTP server should be given more of what arrives. */
  readDecision: () => ReadDecision;
  /** Set by the HTTP server's socket reader: asks `readDecision` again. */
  resume: () => void;
};

/** A request that the HTTP server has read. */
export type QueuedRequest = {
  req: IncomingMessage;
  res: ServerResponse;
  /** The connection ends after its response. */
  isLast: boolean;
  /** Called when all requests before it have been answered. */
  start: () => void;
};

type TrackedConnection = Connection & {
  phase: Phase;
  phaseStartedTick: number;
  /** While closing: the last tick at which something arrived. */
  lastActiveTick: number;
  /** Pipelined requests: the first is being answered. */
  requests: QueuedRequest[];
  /** The socket's `bytesRead` when the last request ended, to notice the next head; while closing, at the last tick. */
  bytesRead: number;
  /** The progress of the arriving body, from the first tick on. */
  pace: BodyPace | undefined;
  /** undefined without a connection limit. */
  slot: ConnectionSlot | undefined;
  /** No further request is accepted. */
  hasLastRequest: boolean;
  /** Answered after the requests before it. */
  protocolError: ProtocolError | undefined;
};

export type Connections = ReturnType<typeof createConnections>;

/**
 * @param tickMs how often deadlines are checked
 * @param limitOptions the number of connections is unlimited without them
 */
export function createConnections(limits: ConnectionLimits, tickMs = 1000, limitOptions?: ConnectionLimitOptions) {
  const { bodyPace, closingSilence } = limits;
  const phaseLimits = phaseLimitsMs(limits);
  const tracked = new Map<Socket, TrackedConnection>();
  let ticks = 0;
  let isStopping = false;
  let resolveIdle: (() => void) | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;

  const connectionLimit = limitOptions && createConnectionLimit(limitOptions, () => ticks * tickMs);

  const resolveIfIdle = (): void => {
    if (resolveIdle && !tracked.values().some(({ phase }) => isBusyPhase(phase))) resolveIdle();
  };

  const tick = (): void => {
    ticks++;
    connectionLimit?.checkRecovered();
    for (const connection of tracked.values()) {
      updatePhase(connection);
      const { phase, phaseStartedTick, lastActiveTick } = connection;
      const isSilent = phase === 'closing' && (ticks - lastActiveTick) * tickMs > closingSilence;
      const isLate = (ticks - phaseStartedTick) * tickMs > phaseLimits[phase];
      if (isSilent || isLate || !isInPace(connection)) timeOut(connection);
    }
  };

  /** Notices what node:http does not report by an event. */
  const updatePhase = (connection: TrackedConnection): void => {
    const { phase, socket, requests } = connection;
    const hasReadMore = socket.bytesRead > connection.bytesRead;
    if (phase === 'idle' && requests.length === 0 && hasReadMore) connection.setPhase('head');
    else if (phase === 'body' && requests[0]?.req.complete) connection.setPhase('response');
    else if (phase === 'response' && requests[0]?.res.writableEnded) connection.setPhase('flush');
    else if (phase === 'response') connection.slot?.checkReader(socket);
    else if (phase === 'closing' && (hasReadMore || !socket.writableFinished)) {
      connection.bytesRead = socket.bytesRead;
      connection.lastActiveTick = ticks;
    }
  };

  /** Only what the client delays counts: the measurement restarts while our handler does not read the body. */
  const isInPace = (connection: TrackedConnection): boolean => {
    if (!bodyPace || connection.phase !== 'body') return true;
    const now = ticks * tickMs;
    const { bytesRead } = connection.socket;
    const { pace } = connection;
    if (pace && decideRead(connection) === 'now') return keepsPace(pace, bytesRead, now, bodyPace);
    connection.pace = startPace(bytesRead, now, bodyPace);
    return true;
  };

  /** Answers 408 where a request was being waited for and no response has begun. */
  const timeOut = (connection: TrackedConnection): void => {
    const { phase, socket, requests } = connection;
    const isArriving = phase === 'head' || phase === 'body' || phase === 'response';
    if (!isArriving || socket.bytesRead === 0 || requests[0]?.res.headersSent) return void socket.destroy();
    connection.endWith(protocolErrorMessage(408));
    connection.setPhase('timedOut');
  };

  const open = (socket: Socket): Connection => {
    const existing = tracked.get(socket);
    if (existing) return existing;
    const slot = connectionLimit?.admit(socket.remoteAddress, () => closeWith503(connection));
    const connection: TrackedConnection = {
      socket,
      phase: 'head',
      phaseStartedTick: ticks,
      lastActiveTick: ticks,
      requests: [],
      bytesRead: 0,
      pace: undefined,
      slot,
      hasLastRequest: false,
      protocolError: undefined,
      setPhase: phase => {
        connection.phase = phase;
        connection.phaseStartedTick = ticks;
        connection.pace = undefined;
        slot?.setPhase(phase);
        if (phase !== 'idle') return;
        connection.bytesRead = socket.bytesRead;
        resolveIfIdle();
      },
      isStopping: () => isStopping,
      isReserved: slot?.isReserved === true,
      endWith: lastBytes => {
        if (socket.destroyed) return;
        connection.setPhase('closing');
        connection.lastActiveTick = ticks;
        socket.removeAllListeners('data').resume();
        if (lastBytes === undefined) socket.end();
        else socket.end(lastBytes, 'latin1');
      },
      readDecision: () => decideRead(connection),
      resume: () => {},
    };
    if (connectionLimit && !slot) {
      closeWith503(connection);
      return connection;
    }
    // node:http calls this after a connection's last response.
    socket.destroySoon = connection.endWith;
    tracked.set(socket, connection);
    socket.once('close', () => {
      slot?.release();
      tracked.delete(socket);
      resolveIfIdle();
    });
    // The socket may have been accepted before `stop` and reported only now.
    if (isStopping) socket.destroy();
    else timer ??= setInterval(tick, tickMs).unref();
    return connection;
  };

  /** Starts the next request, or answers a protocol error that came after the last one. */
  const startNext = (connection: TrackedConnection): void => {
    const { requests, protocolError, socket, phase } = connection;
    if (socket.destroyed || phase === 'closing' || phase === 'timedOut') return;
    const [next] = requests;
    if (protocolError && !next?.req.complete) connection.endWith(protocolErrorMessage(protocolError));
    else if (next) startRequest(connection, next);
    else {
      connection.setPhase('idle');
      // This may feed the parser the beginning of the next head. A shutdown does not wait for that request.
      connection.resume();
      if (connection.phase === 'idle' && !isStopping && isHeadArriving(socket)) connection.setPhase('head');
    }
  };
  const startRequest = (connection: TrackedConnection, { res, isLast, start }: QueuedRequest): void => {
    connection.setPhase('body');
    if (isLast || isStopping) res.shouldKeepAlive = false;
    start();
    connection.resume();
  };

  return {
    /** Starts tracking a socket; for a socket that is tracked already, it returns the connection. */
    open,

    isReserved: (socket: Socket): boolean => tracked.get(socket)?.isReserved === true,

    /** Queues a request behind the earlier ones of its connection. Requests after a connection's last one are ignored. */
    enqueue: (request: QueuedRequest): void => {
      const { req, res } = request;
      const connection = tracked.get(req.socket);
      if (!connection || connection.hasLastRequest) return;
      const { requests } = connection;
      request.isLast ||= connection.isReserved;
      connection.hasLastRequest = request.isLast;
      requests.push(request);
      res.once('close', () => {
        const isFirst = requests[0] === request;
        requests.splice(requests.indexOf(request), 1);
        if (isFirst) startNext(connection);
      });
      if (requests.length === 1) startRequest(connection, request);
    },

    /** The HTTP server cannot parse what arrives from here on: the error is sent after the responses that are still owed. */
    fail: (socket: Socket, protocolError: ProtocolError): void => {
      const connection = tracked.get(socket);
      if (!connection || connection.protocolError) return;
      connection.hasLastRequest = true;
      connection.protocolError = protocolError;
      const [first, second] = connection.requests;
      if (second || first?.req.complete) return;
      if (first?.res.headersSent) socket.destroy();
      else startNext(connection);
    },

    /** Closes connections without a request, and makes the current request of every other one its last. */
    stop: (): void => {
      isStopping = true;
      for (const { phase, socket, requests } of tracked.values()) {
        // Their responses must not promise keep-alive.
        for (const { res } of requests) res.shouldKeepAlive = false;
        if (!isBusyPhase(phase)) socket.destroy();
      }
    },

    /** Resolves when no connection is busy. */
    untilIdle: (): Promise<void> =>
      new Promise(resolve => {
        resolveIdle = resolve;
        resolveIfIdle();
      }),

    destroyAll: (): void => {
      clearInterval(timer);
      for (const { socket } of tracked.values()) socket.destroy();
    },
  };
}

/** Makes room for another connection. A client that is sending a request gets a 503 if the socket takes it at once. */
function closeWith503({ phase, socket, requests }: TrackedConnection): void {
  const isArriving = phase === 'head' || phase === 'body';
  // Nothing can be written to a TLS socket before its handshake is done.
  const isPlain = !('encrypted' in socket);
  if (isArriving && isPlain && !requests[0]?.res.headersSent) socket.write(protocolErrorMessage(503), 'latin1');
  socket.destroy();
}

function decideRead({ phase, socket, requests, hasLastRequest }: TrackedConnection): ReadDecision {
  if (socket.destroyed || phase === 'closing' || phase === 'timedOut') return 'never';
  const newest = requests.at(-1)?.req;
  if (!newest || newest.complete) {
    if (hasLastRequest) return 'never';
    return newest ? 'later' : 'now';
  }
  // A body is read only for the request that is being answered, and as fast as its handler reads it.
  return requests.length === 1 && newest.readableLength < newest.readableHighWaterMark ? 'now' : 'later';
}

/** Bun sets this property of a socket while its parser is inside a message: without a request, that is a head. */
const messageOpenMark = 'http1MessageOpen';

/** Whether the parser has read the beginning of a head but not its end; undefined when this Bun does not say. */
export function isHeadArriving(socket: Socket): boolean | undefined {
  const mark = Object.getOwnPropertySymbols(socket).find(({ description }) => description === messageOpenMark);
  return mark === undefined ? undefined : Reflect.get(socket, mark) === true;
}
