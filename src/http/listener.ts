/*
 * One listening socket. Connections are accepted here and given to node:http, which listens to nothing itself, so that what they
 * wait for is known in one place (connections.ts), and plain deliveries need not come by it (lane.ts).
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { type Connection, createConnections } from './connections.ts';
import { createLane, type Whole } from './lane.ts';

export type Handler = (req: IncomingMessage, res: ServerResponse, target: string) => Promise<void>;

/** PEM texts: the certificate with its chain, and its private key. */
export type Certificate = { cert: string; key: string };

type ListenerOptions = {
  handler: Handler;
  /** Plain without it. */
  certificate?: Certificate | undefined;
  /** What is taken the short way; nothing without it. */
  whole?: Whole | undefined;
  onError: (error: unknown) => void;
};

const maxHeaderSize = 64 << 10;
const keepAliveSeconds = 65;
const limitsMs = { idle: keepAliveSeconds * 1000, head: 10_000, body: 300_000 };

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

/** What the parser lets pass and RFC 9112 does not: another version (section 2.3), no host (3.2), another form of target (3.2). */
const isSound = ({ httpVersion, headers, url = '' }: IncomingMessage): boolean =>
  (httpVersion === '1.1' ? headers.host !== undefined : httpVersion === '1.0') &&
  (url.startsWith('/') || absoluteForm.test(url));

export function createListener({ handler, onError, certificate, whole }: ListenerOptions) {
  const connections = createConnections(limitsMs);
  const complete = createServer({ maxHeaderSize, keepAliveTimeout: limitsMs.idle });
  // Who has said all may still wait for its answer.
  const allowHalfOpen = true;
  Object.assign(complete, { httpAllowHalfOpen: allowHalfOpen });
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    if (!connections.serve(req, res)) return;
    if (mustBeLast(req)) connections.last(req, res);
    if (!isSound(req)) {
      connections.last(req, res);
      res.writeHead(400, { 'content-length': 0 });
      res.end();
      return;
    }
    handler(req, res, req.url ?? '/').catch(error => {
      onError(error);
      res.destroy();
    });
  };
  // Who asks before sending a body is told to go on only by whoever wants the body: a refusal costs no upload.
  complete.on('request', handle).on('checkContinue', handle);
  const handOver = ({ socket }: Connection, bytes: Buffer): void => {
    socket.pause();
    socket.unshift(bytes);
    complete.emit('connection', socket);
    socket.resume();
  };
  const lane = whole && createLane({ whole, keepAliveSeconds, handOver, onError });

  const accept = (socket: Socket): void => {
    // What a connection's other end does is no error of ours; its end is told by `close`.
    socket.on('error', () => {});
    const connection = connections.open(socket);
    if (lane) lane(connection);
    else complete.emit('connection', socket);
  };
  const secure =
    certificate &&
    createTlsServer({ ...certificate, allowHalfOpen, noDelay: true, handshakeTimeout: limitsMs.head }, accept);
  // Before the handshake, which may never come: Bun says that it took too long, and leaves the socket open.
  secure
    ?.on('connection', socket => void connections.open(socket.on('error', () => {})))
    .on('tlsClientError', () => {});
  const acceptor: Server = secure ?? createNetServer({ allowHalfOpen, noDelay: true }, accept);

  return {
    port: (): number => (acceptor.address() as AddressInfo).port,
    listen: (...where: [number, string] | [string]): Promise<void> =>
      new Promise((resolve, reject) => {
        acceptor.once('error', reject);
        const ready = (): void => {
          acceptor.off('error', reject);
          // A connection that could not be accepted is no reason to end.
          acceptor.on('error', onError);
          resolve();
        };
        if (where.length === 1) acceptor.listen(where[0], ready);
        else acceptor.listen(where[0], where[1], ready);
      }),
    /** Of one that has a certificate. @throws when the new one cannot be used */
    renew: (fresh: Certificate): void => secure?.setSecureContext(fresh),
    /** Stops accepting, lets requests in flight finish, cuts what is left after `deadlineMs`. */
    close: async (deadlineMs: number): Promise<void> => {
      acceptor.close();
      connections.stop();
      await within(deadlineMs, connections.quiet());
      connections.end();
    },
  };
}

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
