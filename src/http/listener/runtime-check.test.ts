import { describe, expect, test } from 'bun:test';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { selfSigned } from '../../testing/certificate.ts';
import { checkRuntime } from './runtime-check.ts';

type Listener = (...values: unknown[]) => void;

/** node:http whose servers behave differently; `onConnection` runs after a server has added its listeners to a socket. */
function broken(change: (server: Server) => void, onConnection?: (socket: Socket) => void): typeof createServer {
  const create = (options: Parameters<typeof createServer>[0]): Server => {
    const server = createServer(options ?? {});
    const emit = server.emit.bind(server);
    server.emit = (event: string, ...values: unknown[]): boolean => {
      const isHeard = emit(event, ...values);
      if (event === 'connection') onConnection?.(values[0] as Socket);
      return isHeard;
    };
    change(server);
    return server;
  };
  return create as typeof createServer;
}
const unchanged = (): void => {};

test('this Bun passes, on plain connections and with TLS', async () => {
  expect(await checkRuntime()).toBeUndefined();
  expect(await checkRuntime({ certificate: selfSigned() })).toBeUndefined();
});

describe('the check fails when node:http', () => {
  test.each<[string, typeof createServer, string]>([
    [
      'ignores sockets that are passed to it',
      broken(server => {
        server.emit = () => true;
      }),
      'node:http does not listen to a socket that was passed to it as a connection',
    ],
    [
      'does not parse what its listener gets at once',
      broken(unchanged, socket => {
        const [parse] = socket.listeners('data') as Listener[];
        socket.removeAllListeners('data').on('data', chunk => setImmediate(() => parse?.call(socket, chunk)));
      }),
      'does not say whether the parser is inside a message',
    ],
    [
      'does not end connections by destroySoon',
      broken(unchanged, socket => Object.assign(socket, { destroySoon: undefined })),
      'does not call destroySoon',
    ],
    [
      'changes header names',
      broken(server => {
        server.prependListener('request', req => {
          req.rawHeaders = req.rawHeaders.map(text => text.toLowerCase());
        });
      }),
      'a request was not read exactly',
    ],
    [
      'does not report invalid HTTP',
      broken(unchanged, socket => {
        const [parse] = socket.listeners('data') as Listener[];
        socket.removeAllListeners('data').on('data', chunk => {
          if (String(chunk).startsWith('nonsense')) socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
          else parse?.call(socket, chunk);
        });
      }),
      'invalid HTTP was not reported',
    ],
    [
      'does not answer',
      broken(server => {
        server.prependListener('request', (_req, res) => {
          res.end = () => res;
        });
      }),
      'a test connection did not end within 2000 ms',
    ],
  ])('%s', async (_name, createNodeServer, problem) => {
    expect(await checkRuntime({ createNodeServer, timeoutMs: 2000 })).toContain(problem);
  });
});
