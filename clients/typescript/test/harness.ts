/* A server for the client's tests, and a proxy in front of it that breaks connections. */
import { createServer, connect as dial, type Socket } from 'node:net';
import { openTestServer, type TestAccount, type TestServer } from '../../../src/testing/test-server.ts';
import { type Endpoint, Hooktape, type HooktapeOptions } from '../src/hooktape.ts';

export type Harness = {
  server: TestServer;
  account: TestAccount;
  origin: string;
  hooktape: Hooktape;
  /** A client with other options. */
  client: (options?: Partial<HooktapeOptions>) => Hooktape;
  /** Sends an endpoint a delivery, and returns the event's id. */
  deliver: (endpoint: Endpoint, body?: unknown, init?: RequestInit & { suffix?: string }) => Promise<string>;
  close: () => Promise<void>;
};

export async function openHarness(): Promise<Harness> {
  const server = await openTestServer();
  const account = await server.createAccount();
  const origin = await server.listen();
  const client: Harness['client'] = options => new Hooktape({ url: origin, key: account.key, ...options });
  return {
    server,
    account,
    origin,
    hooktape: client(),
    client,
    deliver: (endpoint, body = {}, init) => server.deliver(endpoint, JSON.stringify(body), init),
    close: server.close,
  };
}

export type UnreliableProxy = {
  origin: string;
  /** How many connections it has broken. */
  broken: () => number;
  close: () => void;
};

/** Forwards connections to `port`, and breaks each after a number of bytes of the answer that `next` chooses. */
export async function openUnreliableProxy(port: () => number, next: () => number): Promise<UnreliableProxy> {
  let broken = 0;
  const open = new Set<Socket>();
  const server = createServer(client => {
    const upstream = dial(port(), '127.0.0.1');
    let left = next();
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      socket.on('error', () => {});
    }
    client.on('data', chunk => upstream.write(chunk));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    upstream.on('data', chunk => {
      const part = chunk.subarray(0, left);
      left -= part.length;
      client.write(part, () => {
        if (left > 0 || client.destroyed) return;
        broken++;
        client.destroy();
      });
    });
  });
  const bound = await new Promise<number>(resolve =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  );
  return {
    origin: `http://127.0.0.1:${bound}`,
    broken: () => broken,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** What a promise rejects with. @throws when it does not */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const settled = await promise.then(
    value => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in settled) return settled.error;
  throw new Error(`resolved with ${JSON.stringify(settled.value)}`);
}
