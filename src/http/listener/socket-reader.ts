/*
 * Feeds a connection to the HTTP server's parser in small chunks, and only while it can use them. So few pipelined requests are
 * held in memory, however many were sent at once, and a body waits in the kernel's buffers until its handler reads.
 */
import type { Socket } from 'node:net';
import type { ReadDecision } from '../connection/connections.ts';

/** Some dozens of the shortest requests. */
const chunkBytes = 2048;
/** The socket is paused at this size. Below it reading goes on, so that the client's end of the connection is noticed. */
const maxBufferedBytes = 64 << 10;

type Listener = (...values: unknown[]) => void;

/**
 * @param attach makes the HTTP server add its listeners to the socket; the reader takes them over
 * @returns `push` feeds bytes that were read before; `resume` asks for a decision again
 */
export function createSocketReader(options: { socket: Socket; attach: () => void; readDecision: () => ReadDecision }) {
  const { socket, attach, readDecision } = options;
  const [parse, endParsing] = takeListeners(socket, attach);
  let buffered: Buffer = Buffer.alloc(0);
  let isEndPending = socket.readableEnded;
  let isFeeding = false;

  const resume = (): void => {
    if (isFeeding || socket.destroyed) return;
    isFeeding = true;
    while (buffered.length > 0) {
      const decision = readDecision();
      if (decision === 'later') break;
      const chunk = buffered.subarray(0, chunkBytes);
      buffered = buffered.subarray(decision === 'never' ? buffered.length : chunk.length);
      if (decision === 'now') parse(chunk);
    }
    isFeeding = false;
    if (buffered.length >= maxBufferedBytes) socket.pause();
    else if (socket.isPaused()) socket.resume();
    if (!isEndPending || buffered.length > 0) return;
    isEndPending = false;
    endParsing();
  };
  const push = (bytes: Buffer): void => {
    buffered = buffered.length === 0 ? bytes : Buffer.concat([buffered, bytes]);
    resume();
  };
  socket.on('data', push).once('end', () => {
    isEndPending = true;
    resume();
  });
  return { push, resume };
}

/**
 * Removes from the socket the `data` and `end` listeners that `attach` adds, and returns them.
 * @throws when it adds none: this Bun works differently (runtime-check.ts)
 */
function takeListeners(socket: Socket, attach: () => void): [Listener, Listener] {
  const listeners = (event: string): Listener[] => socket.listeners(event) as Listener[];
  const existing = [...listeners('data'), ...listeners('end')];
  attach();
  const [onData, onEnd] = ['data', 'end'].map(event => {
    const added = listeners(event).find(listener => !existing.includes(listener));
    if (added) socket.off(event, added);
    return added;
  });
  if (!onData || !onEnd) throw new Error('node:http does not listen to a socket that was passed to it as a connection');
  return [onData.bind(socket), onEnd.bind(socket)];
}
