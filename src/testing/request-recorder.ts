/* A destination on loopback that records requests byte for byte and answers them. */
import { createServer, type Socket } from 'node:net';
import { type HeaderPair, trimBlanks } from '../core/headers.ts';

/** Text is latin1: one character a byte. */
export type RecordedRequest = { method: string; target: string; headers: HeaderPair[]; body: Buffer };

/** @param answer the response to the nth request, counted from 0; a connection without one is closed */
export async function recordRequests(
  answer: (request: RecordedRequest, n: number) => string | undefined = () =>
    'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
) {
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    let received = Buffer.alloc(0);
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', data => {
      received = Buffer.concat([received, data]);
      const request = readRequest(received);
      if (!request) return;
      requests.push(request);
      const response = answer(request, requests.length - 1);
      if (response === undefined) socket.destroy();
      else socket.end(response, 'latin1');
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Undefined if it is not complete. */
function readRequest(received: Buffer): RecordedRequest | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...fields] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = fields.map((field): HeaderPair => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon), trimBlanks(field.slice(colon + 1))];
  });
  const length = Number(headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1] ?? 0);
  const body = received.subarray(end + 4);
  if (body.length < length) return undefined;
  const [method = '', target = ''] = line.split(' ');
  return { method, target, headers, body };
}
