/*
 * The connections of one listener: what each waits for, for how long it may, and how all of them end. A silent or slow one is cut;
 * whoever closes lets what is under way finish.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Between requests; the head of one is arriving, or has to; its body is; it is whole, and the answer is ours to give; it was told
 * to go.
 */
type Phase = 'idle' | 'head' | 'body' | 'answer' | 'cut';

export type Connection = {
  readonly socket: Socket;
  enter: (phase: Phase) => void;
  /** No further request is taken on it. */
  isLast: () => boolean;
};

type Entry = Connection & {
  phase: Phase;
  /** In ticks. */
  since: number;
  /** Requests that the complete server has on it, oldest first; several when they are sent without waiting for answers. */
  requests: { req: IncomingMessage; res: ServerResponse }[];
  /** What had been read when the last request ended: more is the next one's head. */
  bytesRead: number;
  /** It has had its last request. */
  isOver: boolean;
};

/** How long a phase may last. Nothing limits an answer here: what makes it has its own deadlines. */
export type ConnectionLimits = Record<'idle' | 'head' | 'body', number>;

export type Connections = ReturnType<typeof createConnections>;

/** @param tickMs how often the limits are looked at */
export function createConnections(limitsMs: ConnectionLimits, tickMs = 1000) {
  const entries = new Map<Socket, Entry>();
  const limits = { ...limitsMs, answer: Number.POSITIVE_INFINITY, cut: 0 };
  let ticks = 0;
  let isClosing = false;
  let quiet: (() => void) | undefined;
  let clock: ReturnType<typeof setInterval> | undefined;

  const isUnderWay = ({ phase }: Entry): boolean => phase === 'body' || phase === 'answer';
  const tellIfQuiet = (): void => {
    if (quiet && !entries.values().some(isUnderWay)) quiet();
  };

  const tick = (): void => {
    ticks++;
    for (const entry of entries.values()) {
      if (entry.phase === 'idle' && entry.requests.length === 0 && entry.socket.bytesRead > entry.bytesRead) {
        entry.enter('head');
      } else if (
        entry.phase === 'body' &&
        entry.requests.length > 0 &&
        entry.requests.every(({ req }) => req.complete)
      ) {
        entry.enter('answer');
      }
      if ((ticks - entry.since) * tickMs > limits[entry.phase]) cut(entry);
    }
  };

  const cut = (entry: Entry): void => {
    const { phase, socket, requests } = entry;
    const isSilent = phase === 'idle' || phase === 'cut' || socket.bytesRead === 0;
    if (isSilent || requests.some(({ res }) => res.headersSent)) return void socket.destroy();
    entry.enter('cut');
    socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () =>
      socket.destroy(),
    );
  };

  const open = (socket: Socket): Connection => {
    const known = entries.get(socket);
    if (known) return known;
    const entry: Entry = {
      socket,
      phase: 'head',
      since: ticks,
      requests: [],
      bytesRead: 0,
      isOver: false,
      enter: phase => {
        entry.phase = phase;
        entry.since = ticks;
        if (phase !== 'idle') return;
        entry.bytesRead = socket.bytesRead;
        tellIfQuiet();
      },
      isLast: () => isClosing,
    };
    entries.set(socket, entry);
    socket.once('close', () => {
      entries.delete(socket);
      tellIfQuiet();
    });
    // Accepted before, and only now here.
    if (isClosing) socket.destroy();
    else clock ??= setInterval(tick, tickMs).unref();
    return entry;
  };

  return {
    /** Of one that is known already, the same again. */
    open,

    /**
     * The complete server has a request on one of them.
     * @returns whether it may be answered: what comes after a last request is nobody's
     */
    serve: (req: IncomingMessage, res: ServerResponse): boolean => {
      const entry = entries.get(req.socket);
      if (!entry || entry.isOver) return false;
      const request = { req, res };
      entry.requests.push(request);
      entry.enter('body');
      if (isClosing) res.shouldKeepAlive = false;
      res.once('close', () => {
        entry.requests.splice(entry.requests.indexOf(request), 1);
        if (entry.requests.length === 0) entry.enter('idle');
      });
      return true;
    },

    /** The connection ends with the answer to this request. */
    last: (req: IncomingMessage, res: ServerResponse): void => {
      const entry = entries.get(req.socket);
      if (entry) entry.isOver = true;
      res.shouldKeepAlive = false;
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
