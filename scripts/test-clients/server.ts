/* Starts the compiled program with an account that can sign in, an API key, and a local destination for replays. */

import { freePort } from '../../src/testing/free-port.ts';
import { type Installation, install, type Server } from '../lib/installation.ts';

/** The server that the clients are tested with. */
export type Subject = {
  origin: string;
  key: string;
  owner: typeof owner;
  /** Answers every request with 200 and records its method, body and headers. */
  destination: { url: string; received: { method: string; body: string; headers: Headers }[] };
};

type Started = Omit<Subject, 'key'> & { installation: Installation; server: Server; remove: () => Promise<void> };

export const owner = { email: 'owner@example.com', password: 'a quiet river at noon' };

export async function startServer(): Promise<Started> {
  const port = await freePort();
  const installation = install({
    // Linters report localhost as a placeholder.
    HOOKTAPE_BASE_URL: `http://127.0.0.1:${port}`,
    HOOKTAPE_OWNER_EMAIL: owner.email,
    HOOKTAPE_OWNER_PASSWORD: owner.password,
    HOOKTAPE_LOG_LEVEL: 'warn',
  });
  const received: Subject['destination']['received'] = [];
  const destination = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      received.push({ method: request.method, body: await request.text(), headers: request.headers });
      return new Response('thanks');
    },
  });
  const remove = async (): Promise<void> => {
    await destination.stop(true);
    await installation.remove();
  };
  try {
    const server = await installation.start(port);
    const url = `http://127.0.0.1:${destination.port}/hook`;
    return { origin: server.origin, owner, destination: { url, received }, installation, server, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

export const firstKey = ({ installation }: Started): Promise<string> =>
  installation.command(['key', 'create', 'clients', '--account', owner.email]);
