/*
 * A minimal HTTP/1.1 client connection: one request at a time, sent byte for byte, never retried. `fetch` silently repeats a
 * request when a keep-alive connection breaks, which would look like an event stored twice.
 */
import { connect as open } from 'node:net';
import type { Payload } from './payloads.ts';

export type Answer = { status: number; body: string };

export type Connection = {
  /** Sends a request. @throws if the connection ends before the complete response has arrived */
  send: (request: Uint8Array) => Promise<Answer>;
  /** Sends the first part of a request. The last part goes through `send`. */
  write: (part: Uint8Array) => void;
  close: () => void;
};

/**
 * @param localAddress the address of this machine to connect from
 * @throws if the connection is refused
 */
export async function connect(origin: string, localAddress?: string): Promise<Connection> {
  const { hostname, port } = new URL(origin);
  const from = localAddress === undefined ? {} : { localAddress };
  const socket = open({ host: hostname, port: Number(port), noDelay: true, ...from });
  socket.setEncoding('latin1');
  let pending: PromiseWithResolvers<Answer> | undefined;
  let received = '';
  let ended: Error | undefined;

  const connected = Promise.withResolvers<void>();
  const fail = (error: Error) => {
    ended ??= error;
    connected.reject(ended);
    pending?.reject(ended);
    pending = undefined;
  };
  socket.on('connect', connected.resolve);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('connection closed')));
  socket.on('data', (chunk: string) => {
    received += chunk;
    const answer = parse(received);
    if (!answer) return;
    received = '';
    pending?.resolve(answer);
    pending = undefined;
  });
  await connected.promise;

  return {
    send: request => {
      if (ended) return Promise.reject(ended);
      pending = Promise.withResolvers<Answer>();
      socket.write(request);
      return pending.promise;
    },
    write: part => void socket.write(part),
    close: () => socket.destroy(),
  };
}

/** A POST request with GitHub's headers to the path of `address`. */
export function deliveryRequest(address: string, { event, body }: Payload): Uint8Array {
  const { host, pathname } = new URL(address);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'User-Agent: GitHub-Hookshot/044aadd',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `X-GitHub-Event: ${event}`,
    'X-GitHub-Delivery: 72d3162e-cc78-11e3-81ab-4c9367dc0958',
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

/** The response once it is complete, with Content-Length or chunked: the server sends no other kind. */
function parse(text: string): Answer | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return;
  const head = text.slice(0, headEnd);
  const rest = text.slice(headEnd + 4);
  const status = Number(head.slice(9, 12));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return rest.length >= Number(length) ? { status, body: rest } : undefined;
  return rest.endsWith('0\r\n\r\n') ? { status, body: rest.replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/gi, '') } : undefined;
}
