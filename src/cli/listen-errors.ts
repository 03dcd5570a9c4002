/* Messages for a listener that cannot be opened, with the setting to change. */
import type { Config } from '../config/config.ts';
import { OperationError } from './io.ts';

type Where = Pick<Config, 'host' | 'port'>;

const advice: Record<string, (where: Where) => string> = {
  EADDRINUSE: ({ host, port }) =>
    `port ${port} of ${host} is in use by another program\nStop that program, or set HOOKTAPE_PORT to a free port (0 chooses one).`,
  EACCES: ({ port }) =>
    `no permission to listen on port ${port}\nSet HOOKTAPE_PORT to 1024 or higher, or give the program CAP_NET_BIND_SERVICE.`,
  EADDRNOTAVAIL: ({ host }) =>
    `${host} is not an address of this machine\nSet HOOKTAPE_HOST to 127.0.0.1 (only this machine) or 0.0.0.0 (all addresses).`,
};

/** @param cause the error of listening */
export function listenError(where: Where, cause: Error & { code?: unknown }): OperationError {
  const words = advice[String(cause.code)]?.(where);
  if (words !== undefined) return new OperationError(words, { cause });
  // An unknown host gives an error without a code.
  return new OperationError(
    `cannot listen on HOOKTAPE_HOST ${where.host}, HOOKTAPE_PORT ${where.port}: ${cause.message}\nSet HOOKTAPE_HOST to an address of this machine, such as 127.0.0.1 or 0.0.0.0.`,
    { cause },
  );
}
