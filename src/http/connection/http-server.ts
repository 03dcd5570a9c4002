/*
 * The complete HTTP server: node:http on connections that are given to it, since it listens to nothing itself. What it reads is
 * answered in turn, and what is no HTTP is told so in JSON.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection, Connections } from './connections.ts';
import { failureOf, type ProtocolFailure, refuse } from './protocol-errors.ts';
import { createSocketReader } from './socket-reader.ts';

type CompleteOptions = {
  connections: Connections;
  handler: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
  keepAliveMs: number;
  onError: (error: unknown) => void;
};

const maxHeaderSize = 64 << 10;

const absoluteForm = /^https?:\/\/[^/?#]*/i;

/** A proxy may send the absolute form of a target (RFC 9112 section 3.2.2). @returns the target from its path on */
export function withoutOrigin(url: string): string {
  const target = url.replace(absoluteForm, '');
  return target.startsWith('/') ? target : `/${target}`;
}

/**
 * Bun's fallback server drops what follows a request that asks for an upgrade, and closes after this header without a word: nothing
 * may be sent behind either.
 */
const mustBeLast = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade !== undefined || /\bclose\b/i.test(String(headers['proxy-connection'] ?? ''));

function hostsOf({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (/^host$/i.test(rawHeaders[i] as string)) hosts++;
  return hosts;
}

/**
 * What the parser lets pass and RFC 9112 does not: another version (section 2.3), no host, or two of which a proxy may have believed
 * the other (3.2), another form of target (3.2).
 */
const isSound = (req: IncomingMessage): boolean => {
  const { httpVersion, url = '' } = req;
  const hosts = hostsOf(req);
  return (
    (httpVersion === '1.1' ? hosts === 1 : httpVersion === '1.0' && hosts <= 1) &&
    (url.startsWith('/') || absoluteForm.test(url))
  );
};

/** @returns what takes a connection over, and what was read of it */
export function createHttpServer({ connections, handler, keepAliveMs, onError }: CompleteOptions) {
  const server = createServer({ maxHeaderSize, keepAliveTimeout: keepAliveMs });
  // Who has said all may still wait for its answer.
  Object.assign(server, { httpAllowHalfOpen: true });

  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    if (!isSound(req)) return void refuseInTurn(req, res, 400);
    const answer = (): void => {
      handler(req, res).catch(error => {
        onError(error);
        res.destroy();
      });
    };
    tellWhenRead(req);
    connections.serve({ req, res, isLast: mustBeLast(req), answer });
  };
  const refuseInTurn = (req: IncomingMessage, res: ServerResponse, failure: ProtocolFailure): void =>
    connections.serve({ req, res, isLast: true, answer: () => refuse(res, failure) });

  /** Whoever reads the body makes room for more of it; not before what is asked for here was taken. */
  const tellWhenRead = (req: IncomingMessage): void => {
    const read = req._read;
    // Now: an answer may make it read on when its connection is gone and forgotten.
    const { resume } = connections.open(req.socket);
    req._read = size => {
      read.call(req, size);
      queueMicrotask(resume);
    };
  };

  server
    .on('request', serve)
    // Who asks before sending a body is told to go on only by whoever wants the body: a refused delivery costs no upload.
    .on('checkContinue', serve)
    .on('checkExpectation', (req, res) => refuseInTurn(req, res, 417))
    // No tunnels here. Without a listener it would be cut without a word.
    .on('connect', (_req, socket) => connections.fail(socket as Socket, 400))
    .on('clientError', (error: NodeJS.ErrnoException, socket) =>
      connections.fail(socket as Socket, failureOf(error.code)),
    );

  return (connection: Connection, bytes?: Buffer): void => {
    const { socket, readDecision } = connection;
    const feed = createSocketReader({
      socket,
      appetite: readDecision,
      attach: () => server.emit('connection', socket),
    });
    connection.resume = feed.goOn;
    if (bytes) feed.push(bytes);
  };
}
