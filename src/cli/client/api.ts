/*
 * Requests to the REST API of a server. Redirects are not followed, because they would carry the key to another host. A refusal of the
 * server becomes an error with its own words; without an answer it is UnreachableError.
 */
import { isLoopbackHost } from '../../core/hosts.ts';
import { hostOfUrl } from '../../shared/addresses.ts';
import type { Parsed } from '../arguments.ts';
import { fetchErrorMessage } from '../fetch-error.ts';
import { type Io, OperationError, UnreachableError, UsageError } from '../io.ts';
import { requireServer, type Server } from './server.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Query = Readonly<Record<string, string | number | undefined>>;
/** `signal`: gives the request up earlier than its own timeout does. */
type Asked = { query?: Query; body?: unknown; signal?: AbortSignal };

export type Api = {
  server: Server;
  /** The JSON of the answer. @throws RefusedError, UnreachableError, UsageError for a wrong filter */
  call: <T>(method: Method, path: string, asked?: Asked) => Promise<T>;
  /** The answer itself, of any length. */
  open: (path: string, query?: Query) => Promise<Response>;
};

/** The server has refused, and says why. */
export class RefusedError extends OperationError {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type ErrorBody = { error?: unknown; position?: unknown; nearest?: unknown };

const answerTimeoutMs = 60_000;
/** How long a command waits for the rate limit. */
const maxWaitSeconds = 60;
const maxWaits = 5;

/** @throws OperationError when there is no key */
export const connect = (io: Io, given: Pick<Parsed, 'envFile'>): Api => createApi(io, requireServer(io, given));

export function createApi(io: Io, server: Server): Api {
  const send = async (method: Method, path: string, { query = {}, body }: Asked, signal: AbortSignal | undefined) => {
    const url = new URL(path, server.url);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const init = {
      method,
      headers: {
        'user-agent': `hooktape/${io.version}`,
        ...(server.key !== undefined && { authorization: `Bearer ${server.key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      ...(signal ? { signal } : { timeout: false }),
      ...withoutProxy(url),
    };
    for (let waits = 0; ; waits++) {
      const response = await reach(server.url, () => fetch(url, init as RequestInit));
      const seconds = Number(response.headers.get('retry-after'));
      if (response.status !== 429 || method !== 'GET' || !(seconds <= maxWaitSeconds) || waits >= maxWaits)
        return response;
      io.stderr(`Rate limit reached; going on in ${seconds} s.\n`);
      await io.sleep(seconds * 1000);
    }
  };

  return {
    server,
    async call<T>(method: Method, path: string, asked: Asked = {}): Promise<T> {
      const timeout = AbortSignal.timeout(answerTimeoutMs);
      const signal = asked.signal ? AbortSignal.any([asked.signal, timeout]) : timeout;
      const response = await send(method, path, asked, signal);
      const text = await reach(server.url, () => response.text());
      if (!response.ok) throw refusal(server, response, text, asked.query);
      try {
        return JSON.parse(text) as T;
      } catch {
        throw new OperationError(`${server.url} did not answer as a Hooktape server does`);
      }
    },
    async open(path, query = {}) {
      const response = await send('GET', path, { query }, undefined);
      if (!response.ok) throw refusal(server, response, await reach(server.url, () => response.text()), query);
      return response;
    },
  };
}

/** For `fetch`. A proxy that the environment names would look for the server on its own host, and see what is sent to it. */
export const withoutProxy = (url: URL): { proxy?: string } =>
  // `false` is what Bun takes, and its types do not know.
  isLoopbackHost(hostOfUrl(url)) ? { proxy: false as unknown as string } : {};

/** @throws UnreachableError instead of the error of `fetch` */
export async function reach<T>(url: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: string };
    if (code === 'ConnectionRefused' || code === 'ECONNREFUSED')
      throw new UnreachableError(`${url} cannot be reached: nothing listens there`);
    if (name === 'TimeoutError') throw new UnreachableError(`${url} did not answer in time`);
    const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO/.test(String(code));
    const hint = isCertificate ? '; NODE_EXTRA_CA_CERTS names a file with certificates to trust' : '';
    throw new UnreachableError(`${url} cannot be reached: ${fetchErrorMessage(error)}${hint}`);
  }
}

function refusal(server: Server, response: Response, text: string, query: Query = {}): Error {
  const { status } = response;
  const body = readErrorBody(text);
  const location = response.headers.get('location');
  if (status >= 300 && status <= 399)
    return new OperationError(`${server.url} redirects to ${location}: sign in to that server instead`);
  // A proxy in front answers for a server that does not run.
  if (body === undefined && status >= 502 && status <= 504)
    return new UnreachableError(`${server.url} cannot be reached: its proxy answered ${status}`);
  const message = typeof body?.error === 'string' ? body.error : `the server answered ${status}`;
  const filter = query['where'];
  if (status === 400 && typeof body?.position === 'number' && typeof filter === 'string')
    return new UsageError(`--where: ${message}\n  ${filter}\n  ${' '.repeat(widthBefore(filter, body.position))}^`);
  if (status === 401)
    return new RefusedError(
      401,
      server.isKeyFromEnvironment
        ? `${server.url} refuses the key in HOOKTAPE_KEY: ${message}`
        : `the key that is saved for ${server.url} is no longer valid: run \`hooktape login ${server.url}\``,
    );
  if (status === 429)
    return new RefusedError(429, `${message}: try again in ${response.headers.get('retry-after') ?? 'some'} s`);
  return new RefusedError(status, message);
}

const widthBefore = (text: string, characters: number): number =>
  Bun.stringWidth([...text].slice(0, characters).join(''));

function readErrorBody(text: string): ErrorBody | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}
