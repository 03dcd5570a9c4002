/* A port for a server that is stopped and restarted, while other tests open connections and servers on the same machine. */
import { createServer } from 'node:net';

/*
 * Below the ports that Linux, macOS and Windows assign to connections and to servers that request any port. Such a port could
 * be taken while its server is down.
 */
const firstPort = 20_000;
const ports = 12_000;
const maxTries = 100;

/** A port of 127.0.0.1 on which nothing listened a moment ago. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < maxTries; tries++) {
    const port = firstPort + Math.floor(Math.random() * ports);
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${maxTries} ports from ${firstPort} on is free`);
}

const isFree = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
