/* Destinations that misbehave like real ones: raw TCP listeners on loopback that send any bytes, or none. */

import net, { type Socket } from 'node:net';

const opened: { close: () => unknown }[] = [];
const sockets = new Set<Socket>();

/** Ends every peer and its connections; for afterEach. */
export function closePeers(): void {
  for (const socket of sockets) socket.destroy();
  for (const server of opened.splice(0)) server.close();
  sockets.clear();
}

export type Peer = { port: number; received: () => string; connects: () => number; isClosed: () => boolean };

/** A raw TCP peer on a free port: `answer` runs once a complete head was received; `received` has everything as latin1. */
export async function peer(answer: (socket: Socket) => unknown, host = '127.0.0.1', port = 0): Promise<Peer> {
  let received = '';
  let connects = 0;
  let closed = 0;
  const server = net.createServer(socket => {
    connects++;
    sockets.add(socket);
    let isAnswered = false;
    socket.on('error', () => {});
    socket.on('close', () => closed++);
    socket.on('data', data => {
      received += data.toString('latin1');
      if (isAnswered || !received.includes('\r\n\r\n')) return;
      isAnswered = true;
      answer(socket);
    });
  });
  opened.push(server);
  await new Promise<void>(done => server.listen(port, host, done));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    received: () => received,
    connects: () => connects,
    isClosed: () => closed === connects,
  };
}

/** Writes `head`, then `piece` repeatedly until the socket is closed. */
export function drip(socket: Socket, head: string, piece: string): void {
  socket.write(head);
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(piece)), 5);
}

/** Answers with `head` and `body`, then closes. */
export const reply =
  (head: string, body: string | Uint8Array = '') =>
  (socket: Socket): void => {
    socket.write(`${head}\r\n\r\n`);
    socket.end(body);
  };

/** A small 200. */
export const ok = reply('HTTP/1.1 200 OK\r\nContent-Length: 2', 'hi');
