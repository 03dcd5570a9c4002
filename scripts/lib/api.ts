/* The few calls of the REST API that the scripts make, and the command line that makes an account and a key for them. */
import type { Installation, Server } from './installation.ts';

export type Endpoint = { id: string; name: string; url: string; eventCount: number };
export type EventSummary = { id: string; path: string; size: number };

export type Api = {
  key: string;
  createEndpoint: (name: string) => Promise<Endpoint>;
  endpoints: () => Promise<Endpoint[]>;
  /** Every event of the endpoint, newest first, page by page. */
  events: (endpointId: string, limit?: number) => AsyncGenerator<{ events: EventSummary[]; nextCursor: string | null }>;
  /** The stored body as it came. */
  raw: (eventId: string) => Promise<Uint8Array>;
  get: (path: string, signal?: AbortSignal) => Promise<Response>;
  post: (path: string, body: unknown) => Promise<Response>;
  remove: (path: string) => Promise<void>;
};

/** Makes a `pro` account and a key while the server runs, and returns a client for it. */
export async function firstApi(installation: Installation, server: Server, email = 'owner@example.com'): Promise<Api> {
  const run = async (...args: string[]) => {
    const done = await installation.run(args);
    if (done.exitCode !== 0) throw new Error(`hooktape ${args.join(' ')}: ${done.exitCode}\n${done.stderr}`);
    return done.stdout.trim();
  };
  await run('account', 'create', email, '--plan', 'pro');
  return createApi(server.origin, await run('key', 'create', 'scripts', '--account', email));
}

export function createApi(origin: string, key: string): Api {
  const call = async (method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const json = async <T>(method: string, path: string, body?: unknown) =>
    (await (await call(method, path, body)).json()) as T;

  return {
    key,
    createEndpoint: name => json<Endpoint>('POST', '/api/endpoints', { name }),
    endpoints: async () => (await json<{ endpoints: Endpoint[] }>('GET', '/api/endpoints')).endpoints,
    events: async function* (endpointId, limit = 100) {
      let cursor: string | null = null;
      do {
        const at: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const page: { events: EventSummary[]; nextCursor: string | null } = await json(
          'GET',
          `/api/events?endpointId=${endpointId}&limit=${limit}${at}`,
        );
        yield page;
        cursor = page.nextCursor;
      } while (cursor !== null);
    },
    raw: async id => (await call('GET', `/api/events/${id}/raw`)).bytes(),
    get: (path, signal) => call('GET', path, undefined, signal),
    post: (path, body) => call('POST', path, body),
    remove: async path => void (await call('DELETE', path)),
  };
}

/** The ingest address on the server's own socket, whatever origin the public address has. */
export const ingestAddress = (server: { origin: string }, endpoint: Endpoint): string =>
  server.origin + new URL(endpoint.url).pathname;
