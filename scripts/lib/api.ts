/* A client for the REST API calls that the scripts need. `firstApi` creates an account and a key through the command line. */
import { freePort } from '../../src/testing/free-port.ts';
import type { Installation, Server } from './installation.ts';

export type Endpoint = { id: string; name: string; url: string; eventCount: number };
export type EventSummary = { id: string; path: string; size: number };

export type Api = {
  key: string;
  createEndpoint: (name: string) => Promise<Endpoint>;
  endpoints: () => Promise<Endpoint[]>;
  /** Pages with every event of the endpoint, newest first. */
  events: (endpointId: string, limit?: number) => AsyncGenerator<{ events: EventSummary[]; nextCursor: string | null }>;
  /** The stored body. */
  raw: (eventId: string) => Promise<Uint8Array>;
  get: (path: string, signal?: AbortSignal) => Promise<Response>;
  post: (path: string, body: unknown) => Promise<Response>;
  put: (path: string, body: unknown) => Promise<Response>;
  remove: (path: string) => Promise<void>;
};

/** Creates a `pro` account and a key on the running server, and returns a client for them. */
export async function firstApi(installation: Installation, server: Server, email = 'owner@example.com'): Promise<Api> {
  await installation.command(['account', 'create', email, '--plan', 'pro']);
  return createApi(server.origin, await installation.command(['key', 'create', 'scripts', '--account', email]));
}

/** Starts the server with an account and an endpoint. `address` is where the endpoint receives deliveries. */
export async function openInbox(
  installation: Installation,
  name: string,
): Promise<{ server: Server; api: Api; endpoint: Endpoint; address: string }> {
  const server = await installation.start(await freePort());
  const api = await firstApi(installation, server);
  const endpoint = await api.createEndpoint(name);
  return { server, api, endpoint, address: ingestAddress(server, endpoint) };
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
    put: (path, body) => call('PUT', path, body),
    remove: async path => void (await call('DELETE', path)),
  };
}

/** The endpoint's ingest address, with the origin of the local server instead of the public one. */
export const ingestAddress = (server: { origin: string }, endpoint: Endpoint): string =>
  server.origin + new URL(endpoint.url).pathname;
