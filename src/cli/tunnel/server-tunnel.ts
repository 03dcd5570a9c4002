/* The tunnel of `hooktape serve`, which remembers its origin in the data directory, and its listener for deliveries only. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { createIngestFront, type FrontOptions } from '../../front.ts';
import type { Logger } from '../../log.ts';
import type { CoreServices } from '../../wiring/core.ts';
import type { Io } from '../io.ts';
import type { TunnelCommand } from './programs.ts';
import { readPublicOrigin } from './public-origin.ts';
import { createTunnel, type Tunnel } from './tunnel.ts';

type ServerTunnelOptions = { io: Io; config: Config; log: Logger; command: TunnelCommand };

export function createServerTunnel({ io, config, log, command }: ServerTunnelOptions): Tunnel {
  const file = join(config.dataDir, 'hooktape.tunnel.json');
  const read = (): string | undefined => {
    try {
      return readPublicOrigin(String(JSON.parse(readFileSync(file, 'utf8')).origin));
    } catch {
      return undefined;
    }
  };
  const write = (origin: string): void => {
    writeFileSync(`${file}.tmp`, JSON.stringify({ origin }), { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  };
  return createTunnel({ command, env: io.env, memory: { read, write }, log, monotonic: io.clock.monotonic });
}

/** What the program forwards to: loopback only, regardless of the server's own address. */
const host = '127.0.0.1';

/**
 * Opens the listener and starts the program. The listener is separate, so that nothing that a request says decides what it reaches.
 * @returns a function that stops both: first the listener, so that requests in flight are answered
 */
export async function startTunnel(
  tunnel: Tunnel,
  { tunnelIngest, onError }: Pick<CoreServices, 'tunnelIngest' | 'onError'>,
  options: Pick<FrontOptions, 'listener' | 'connectionLimit'>,
): Promise<(drainMs: number) => Promise<void>> {
  const front = createIngestFront({ ...options, ingest: tunnelIngest, onError });
  tunnel.start(`http://${host}:${await front.listen(0, host)}`);
  return async drainMs => {
    await front.close(drainMs);
    await tunnel.stop();
  };
}
