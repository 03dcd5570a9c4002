/*
 * The connections of one listener: what each waits for, for how long it may, whose turn it is, and how all of them end. A silent or
 * slow one is cut; whoever closes lets what is under way finish.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type BodyPace, type BodyPaceLimits, keepsPace, startPace } from './body-pace.ts';
import { type ConnectionLimitOptions, createConnectionLimit, type Place } from './connection-limit.ts';
import { failureMessage, type ProtocolFailure } from './protocol-failures.ts';
import type { ReadDecision } from './socket-reader.ts';

/**
 * Between requests; the head of one is arriving, or has to; its body is; it is whole, and the answer is ours to give; that was given,
 * and has to be taken; it was the last, and what still comes is thrown away; it was told to go.
 */
type Phase = 'idle' | 'head' | 'body' | 'answer' | 'flush' | 'linger' | 'cut';

export type Connection = {
  readonly socket: Socket;
  enter: (phase: Phase) => void;
  /** No further request is taken on it. */
  isLast: () => boolean;
  /** There is no place for it: only whether the server is well may be asked. */
  readonly isGuest: boolean;
  /**
   * Says the last there is to say, and reads on for a while without heeding it: who is still sending when a connection is closed
   * loses the answer to it (RFC 9112 section 9.6).
   */
  finish: (last?: string | Buffer) => void;
  /** What the complete server wants of what comes. */
  readDecision: () => ReadDecision;
  /** Set by whoever feeds the complete server: it may have appetite again. */
  resume: () => void;
};

/** What the complete server has read of a connection. */
export type Request = {
  req: IncomingMessage;
  res: ServerResponse;
  /** The connection ends with the answer to it. */
  isLast: boolean;
  /** Called when it is its turn. */
  answer: () => void;
};

type Entry = Connection & {
  phase: Phase;
  /** In ticks. */
  since: number;
  /** While it lingers: when something came last, in ticks. */
  heardAt: number;
  /** Of the complete server: the first is being answered, the others wait for that. */
  requests: Request[];
  /** What had been read when the last request ended: more is the next one's head. While it lingers, at the last look. */
  bytesRead: number;
  /** Of the body that is arriving, from the first look on. */
  pace: BodyPace | undefined;
  /** Among all, if those are counted. */
  place: Place | undefined;
  /** It has had its last request. */
  isOver: boolean;
  /** What comes after, or instead of the last of, its requests. */
  failure: ProtocolFailure | undefined;
};

/** How long a phase may last. Nothing limits an answer here: what makes it has its own deadlines. */
export type ConnectionLimits = Record<'idle' | 'head' | 'body' | 'linger', number> & {
  /** How long nothing may come while it lingers. */
  silence: number;
  /** What a body has to keep up with, besides the limit of its phase. */
  bodyPace?: BodyPaceLimits;
};

export type Connections = ReturnType<typeof createConnections>;

/**
 * @param tickMs how often the limits are looked at
 * @param most how many there may be; any number without it
 */
export function createConnections(
  { bodyPace, ...limitsMs }: ConnectionLimits,
  tickMs = 1000,
  most?: ConnectionLimitOptions,
) {
  const entries = new Map<Socket, Entry>();
  const limits = { ...limitsMs, answer: Number.POSITIVE_INFINITY, flush: limitsMs.idle, cut: 0 };
  let ticks = 0;
  let isClosing = false;
  let quiet: (() => void) | undefined;
  let clock: ReturnType<typeof setInterval> | undefined;

  const limit = most && createConnectionLimit(most, () => ticks * tickMs);

  const isUnderWay = ({ phase }: Entry): boolean => phase !== 'idle' && phase !== 'head' && phase !== 'cut';
  const tellIfQuiet = (): void => {
    if (quiet && !entries.values().some(isUnderWay)) quiet();
  };

  const tick = (): void => {
    ticks++;
    limit?.look();
    for (const entry of entries.values()) {
      const { phase, socket, requests } = entry;
      const hasMoved = socket.bytesRead > entry.bytesRead;
      if (phase === 'idle' && requests.length === 0 && hasMoved) entry.enter('head');
      else if (phase === 'body' && requests[0]?.req.complete) entry.enter('answer');
      else if (phase === 'answer' && requests[0]?.res.writableEnded) entry.enter('flush');
      else if (phase === 'answer') entry.place?.lookAtReader(socket);
      else if (phase === 'linger' && (hasMoved || !socket.writableFinished)) {
        entry.bytesRead = socket.bytesRead;
        entry.heardAt = ticks;
      }
      const isSilent = phase === 'linger' && (ticks - entry.heardAt) * tickMs > limits.silence;
      if (isSilent || !isInPace(entry) || (ticks - entry.since) * tickMs > limits[entry.phase]) cut(entry);
    }
  };

  /** A body that waits for whoever reads it is not late: its pace begins anew. */
  const isInPace = (entry: Entry): boolean => {
    if (!bodyPace || entry.phase !== 'body') return true;
    const now = ticks * tickMs;
    const { bytesRead } = entry.socket;
    const { pace } = entry;
    if (pace && decideRead(entry) === 'now') return keepsPace(pace, bytesRead, now, bodyPace);
    entry.pace = startPace(bytesRead, now, bodyPace);
    return true;
  };

  const cut = (entry: Entry): void => {
    const { phase, socket, requests } = entry;
    const isDone = phase === 'idle' || phase === 'flush' || phase === 'linger' || phase === 'cut';
    if (isDone || socket.bytesRead === 0 || requests[0]?.res.headersSent) return void socket.destroy();
    entry.finish(failureMessage(408));
    entry.enter('cut');
  };

  const open = (socket: Socket): Connection => {
    const known = entries.get(socket);
    if (known) return known;
    const place = limit?.take(socket.remoteAddress, () => closeAtOnce(entry));
    const entry: Entry = {
      socket,
      phase: 'head',
      since: ticks,
      heardAt: ticks,
      requests: [],
      bytesRead: 0,
      pace: undefined,
      place,
      isOver: false,
      failure: undefined,
      enter: phase => {
        entry.phase = phase;
        entry.since = ticks;
        entry.pace = undefined;
        place?.enter(phase);
        if (phase !== 'idle') return;
        entry.bytesRead = socket.bytesRead;
        tellIfQuiet();
      },
      isLast: () => isClosing,
      isGuest: place?.isGuest === true,
      finish: last => {
        if (socket.destroyed) return;
        entry.enter('linger');
        entry.heardAt = ticks;
        socket.removeAllListeners('data').resume();
        if (last === undefined) socket.end();
        else socket.end(last, 'latin1');
      },
      readDecision: () => decideRead(entry),
      resume: () => {},
    };
    if (limit && !place) {
      closeAtOnce(entry);
      return entry;
    }
    // How node:http ends a connection after its last answer.
    socket.destroySoon = entry.finish;
    entries.set(socket, entry);
    socket.once('close', () => {
      place?.leave();
      entries.delete(socket);
      tellIfQuiet();
    });
    // Accepted before, and only now here.
    if (isClosing) socket.destroy();
    else clock ??= setInterval(tick, tickMs).unref();
    return entry;
  };

  /** Whose turn it is: nobody's while the one before is not answered, and the answer on its way. */
  const advance = (entry: Entry): void => {
    const { requests, failure, socket } = entry;
    if (socket.destroyed || entry.phase === 'linger' || entry.phase === 'cut') return;
    const [next] = requests;
    if (failure && !next?.req.complete) entry.finish(failureMessage(failure));
    else if (next) begin(entry, next);
    else {
      entry.enter('idle');
      // Which may bring the beginning of a head, if that is not there yet. Whoever closes does not wait for it.
      entry.resume();
      if (entry.phase === 'idle' && !isClosing && isHeadArriving(socket)) entry.enter('head');
    }
  };
  const begin = (entry: Entry, { res, isLast, answer }: Request): void => {
    entry.enter('body');
    if (isLast || isClosing) res.shouldKeepAlive = false;
    answer();
    entry.resume();
  };

  return {
    /** Of one that is known already, the same again. */
    open,

    isGuest: (socket: Socket): boolean => entries.get(socket)?.isGuest === true,

    /** The complete server has read a request of one of them. What comes after a last one is nobody's. */
    serve: (request: Request): void => {
      const { req, res } = request;
      const entry = entries.get(req.socket);
      if (!entry || entry.isOver) return;
      const { requests } = entry;
      request.isLast ||= entry.isGuest;
      const { isLast } = request;
      entry.isOver = isLast;
      requests.push(request);
      res.once('close', () => {
        const isFirst = requests[0] === request;
        requests.splice(requests.indexOf(request), 1);
        if (isFirst) advance(entry);
      });
      if (requests.length === 1) begin(entry, request);
    },

    /** What the complete server reads of it is no HTTP, from here on. */
    fail: (socket: Socket, failure: ProtocolFailure): void => {
      const entry = entries.get(socket);
      if (!entry || entry.failure) return;
      entry.isOver = true;
      entry.failure = failure;
      const [first, second] = entry.requests;
      if (second || first?.req.complete) return;
      if (first?.res.headersSent) socket.destroy();
      else advance(entry);
    },

    /** Cuts those without a request, and lets no other take a further one. */
    stop: (): void => {
      isClosing = true;
      for (const entry of entries.values()) {
        // No connection may look as if it would take another request.
        for (const { res } of entry.requests) res.shouldKeepAlive = false;
        if (!isUnderWay(entry)) entry.socket.destroy();
      }
    },

    /** Resolves when no request is under way any more. */
    quiet: (): Promise<void> =>
      new Promise(resolve => {
        quiet = resolve;
        tellIfQuiet();
      }),

    /** Cuts all that is left. */
    end: (): void => {
      clearInterval(clock);
      for (const { socket } of entries.values()) socket.destroy();
    },
  };
}

/** There are too many. Whoever may be waiting for an answer is told, as far as that goes without waiting. */
function closeAtOnce({ phase, socket, requests }: Entry): void {
  const isWaiting = phase === 'head' || phase === 'body';
  // Before its handshake is done nothing can be said on a secure one.
  const isPlain = !('encrypted' in socket);
  if (isWaiting && isPlain && !requests[0]?.res.headersSent) socket.write(failureMessage(503), 'latin1');
  socket.destroy();
}

function decideRead({ phase, socket, requests, isOver }: Entry): ReadDecision {
  if (socket.destroyed || phase === 'linger' || phase === 'cut') return 'never';
  const last = requests.at(-1)?.req;
  if (!last || last.complete) {
    if (isOver) return 'never';
    return last ? 'later' : 'now';
  }
  // A body is for whoever answers the request, who takes it at its own pace.
  return requests.length === 1 && last.readableLength < last.readableHighWaterMark ? 'now' : 'later';
}

/** Bun's mark for a message whose end its parser has not seen: with no request, that is a head. */
function isHeadArriving(socket: Socket): boolean {
  const mark = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'http1MessageOpen');
  return mark !== undefined && Reflect.get(socket, mark) === true;
}
