/*
 * What the complete server gets to read of a connection: a little at a time, and nothing while it has a whole request to answer.
 * So the requests that wait for their turn are few, however many were sent at once, and a body waits on the wire for its reader.
 */
import type { Socket } from 'node:net';

/** Whether more is wanted. What comes while it is `later` is kept, up to a bound; what comes at `never` is thrown away. */
export type ReadDecision = 'now' | 'later' | 'never';

/** Some dozens of the shortest requests. */
const pieceBytes = 2048;
/** More than this waits on the wire. Less is read, so that the end of the connection is seen behind it. */
const mostKeptBytes = 64 << 10;

type Listener = (...values: unknown[]) => void;

/**
 * @param attach makes the server listen to the socket
 * @returns `push` for what was read before; `goOn` for when there is appetite again
 */
export function createSocketReader({
  socket,
  attach,
  appetite,
}: {
  socket: Socket;
  attach: () => void;
  appetite: () => ReadDecision;
}) {
  const [read, finish] = takeListeners(socket, attach);
  let kept: Buffer = Buffer.alloc(0);
  let owesEnd = socket.readableEnded;
  let isReading = false;

  const goOn = (): void => {
    if (isReading || socket.destroyed) return;
    isReading = true;
    while (kept.length > 0) {
      const wanted = appetite();
      if (wanted === 'later') break;
      const piece = kept.subarray(0, pieceBytes);
      kept = kept.subarray(wanted === 'never' ? kept.length : piece.length);
      if (wanted === 'now') read(piece);
    }
    isReading = false;
    if (kept.length >= mostKeptBytes) socket.pause();
    else if (socket.isPaused()) socket.resume();
    if (!owesEnd || kept.length > 0) return;
    owesEnd = false;
    finish();
  };
  const push = (bytes: Buffer): void => {
    kept = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
    goOn();
  };
  socket.on('data', push).once('end', () => {
    owesEnd = true;
    goOn();
  });
  return { push, goOn };
}

/** What the server would read by itself. @returns its listeners for data and for the end */
function takeListeners(socket: Socket, attach: () => void): [Listener, Listener] {
  const listeners = (event: string): Listener[] => socket.listeners(event) as Listener[];
  const others = [...listeners('data'), ...listeners('end')];
  attach();
  const [read, finish] = ['data', 'end'].map(event => {
    const own = listeners(event).find(listener => !others.includes(listener));
    if (own) socket.off(event, own);
    return own;
  });
  if (!read || !finish) throw new Error('the HTTP server does not listen to the connection that it was given');
  return [read.bind(socket), finish.bind(socket)];
}
