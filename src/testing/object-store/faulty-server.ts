/* An HTTP server in front of an object store, which can misbehave in every way that a store can, and counts what was sent to it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type SeenRequest = {
  readonly method: string;
  /** Path and query, decoded; the path begins with the bucket. */
  readonly path: string;
  /** Bytes of the body. */
  readonly bytes: number;
  /** The number of the request, from 1. */
  readonly number: number;
};

export type StoreFault =
  /** The response comes later. */
  | { readonly delayMs: number }
  | { readonly status: number; readonly code?: string; readonly headers?: Record<string, string> }
  /** Takes the request, and never responds. */
  | 'silent'
  /** Closes the connection; the store does not get the request. */
  | 'reset'
  /** The store gets the request, and the connection is closed instead of a response. */
  | 'no-answer'
  /** Says that the object is written, and drops it. */
  | 'lose'
  /** The response stops in the middle. */
  | 'cut'
  /** One bit of the response's body is flipped. */
  | 'damage';

export type PlainRequest = {
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};
export type PlainResponse = { status: number; headers: Record<string, string>; body: Buffer };

export const noHeaders: Record<string, string> = {};

export const errorResponse = (status: number, code: string, message = 'no reason'): PlainResponse => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: Buffer.from(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`),
});

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function write(response: ServerResponse, { status, headers, body }: PlainResponse, fault: StoreFault | undefined) {
  const bytes = Buffer.from(body);
  if (fault === 'damage' && bytes.length > 0) {
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  }
  response.writeHead(status, { ...headers, 'content-length': headers['content-length'] ?? bytes.length });
  if (fault !== 'cut') return response.end(bytes);
  return response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroy());
}

/** @param handle the store @returns a server whose `fault` is asked about each request and can be replaced at any time */
export async function openFaultyServer(handle: (request: PlainRequest) => Promise<PlainResponse>) {
  const requests: SeenRequest[] = [];
  const state: { fault: (request: SeenRequest) => StoreFault | undefined } = { fault: () => undefined };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: target = '', rawHeaders, headers } = request;
    const body = await bodyOf(request);
    const seen = { method, path: decodeURIComponent(target), bytes: body.length, number: requests.length + 1 };
    requests.push(seen);
    const fault = state.fault(seen);
    if (fault === 'silent') return;
    if (fault === 'reset') return void request.socket.destroy();
    if (fault === 'lose')
      return void write(response, { status: 200, headers: { etag: '"0"' }, body: Buffer.alloc(0) }, fault);
    if (typeof fault === 'object' && 'status' in fault) {
      const plain = fault.code === undefined ? { body: Buffer.alloc(0) } : errorResponse(fault.status, fault.code);
      return void write(response, { ...plain, status: fault.status, headers: fault.headers ?? noHeaders }, fault);
    }
    if (typeof fault === 'object') await Bun.sleep(fault.delayMs);
    const answer = await handle({ method, target, rawHeaders, headers, body });
    if (fault === 'no-answer') return void request.socket.destroy();
    write(response, answer, fault);
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    requests,
    /** Bytes of the bodies of all PUT and POST requests. */
    uploadedBytes: () => requests.reduce((sum, { bytes }) => sum + bytes, 0),
    /** From now on. */
    setFault: (fault: (request: SeenRequest) => StoreFault | undefined) => {
      state.fault = fault;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise(closed => server.close(closed));
    },
  };
}
