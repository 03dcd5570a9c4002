/*
 * The fallback when this Bun does not pass the runtime check: a node:http server that owns its socket, by documented interfaces
 * only. It keeps targets, header names and bodies as exactly as listener.ts, without the fast path, reserved connections for
 * probes and the minimum speed of bodies.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { protocolErrorMessage, protocolErrorOf, sendProtocolError } from '../connection/protocol-errors.ts';
import { maxHeaderSize } from './http-server.ts';
import {
  type Certificate,
  type Handler,
  keepAliveSeconds,
  type Listener,
  portOf,
  settlesWithin,
  startListening,
} from './listening.ts';
import { isValidRequest } from './request-validity.ts';

type PlainListenerOptions = {
  handler: Handler;
  certificate?: Certificate | undefined;
  /** Without it the number of connections is unlimited. */
  maxConnections?: number | undefined;
  onError: (error: unknown) => void;
};

const serverOptions = {
  maxHeaderSize,
  keepAliveTimeout: keepAliveSeconds * 1000,
  headersTimeout: 10_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 1000,
  noDelay: true,
};

export function createPlainListener({ handler, certificate, maxConnections, onError }: PlainListenerOptions): Listener {
  const server = certificate ? createHttpsServer({ ...certificate, ...serverOptions }) : createServer(serverOptions);
  if (maxConnections !== undefined) server.maxConnections = maxConnections;

  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    if (!isValidRequest(req)) return void sendProtocolError(res, 400);
    handler(req, res, req.url ?? '/').catch(error => {
      onError(error);
      res.destroy();
    });
  };
  server
    .on('request', serve)
    // `100 Continue` is left to the handler that reads the body.
    .on('checkContinue', serve)
    .on('checkExpectation', (_req, res) => sendProtocolError(res, 417))
    .on('connect', (_req, socket) => void socket.end(protocolErrorMessage(400)))
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if ((socket as Socket).writable) socket.end(protocolErrorMessage(protocolErrorOf(error.code)));
    });

  return {
    port: () => portOf(server),
    listen: (...address) => startListening(server, address, onError),
    setCertificate: fresh => {
      if (!('setSecureContext' in server)) throw new Error('this server cannot change its certificate: restart it');
      server.setSecureContext(fresh);
    },
    close: async deadlineMs => {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeIdleConnections();
      if (!(await settlesWithin(deadlineMs, closed))) server.closeAllConnections();
    },
  };
}
