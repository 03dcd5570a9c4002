/* What both listeners have in common: their interface, starting to listen, and waiting with a deadline. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

export type Handler = (req: IncomingMessage, res: ServerResponse, target: string) => Promise<void>;

/** PEM texts: the certificate with its chain, and its private key. */
export type Certificate = { cert: string; key: string };

export type Listener = {
  port: () => number;
  /** On a port and host, or on a unix socket. @throws when the address cannot be bound */
  listen: (...address: [number, string] | [string]) => Promise<void>;
  /** For a listener that has a certificate: new connections get the new one. @throws when it cannot be used; the old one stays */
  setCertificate: (certificate: Certificate) => void;
  /** Stops accepting, lets requests in flight finish, closes what is left after `deadlineMs`. */
  close: (deadlineMs: number) => Promise<void>;
};

/** A keep-alive connection is closed after this time without a request. */
export const keepAliveSeconds = 65;

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** @param onError called for errors after the server has begun to listen */
export function startListening(
  server: Server,
  address: [number, string] | [string],
  onError: (error: unknown) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const onListening = (): void => {
      server.off('error', reject);
      // A connection that could not be accepted must not end the process.
      server.on('error', onError);
      resolve();
    };
    if (address.length === 1) server.listen(address[0], onListening);
    else server.listen(address[0], address[1], onListening);
  });
}

/** Resolves when `done` does, or after `ms`. @returns whether it was done in time */
export async function settlesWithin(ms: number, done: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, ms, false);
  const isDone = await Promise.race([done.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}
