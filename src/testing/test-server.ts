/*
 * A complete server for tests: real services on a real migrated database in a temporary directory, the real app, and, if a test
 * needs a socket, the real front on an ephemeral port. Only clock, log and the outside world can be replaced.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '../app.ts';
import { type Config, readConfig } from '../config/config.ts';
import type { Plan } from '../core/access/principal.ts';
import type { Clock } from '../core/clock.ts';
import { systemClock } from '../core/clock.ts';
import { createFront } from '../front.ts';
import type { LogFields, Logger } from '../log.ts';
import type { SearchLimits } from '../wiring/infrastructure.ts';
import { createServices, type Dependencies, type Services } from '../wiring.ts';
import { prepareDatabase } from './database-template.ts';
import { borrowThread } from './pooled-threads.ts';
import { databaseFor } from './remote/databases.ts';

export const randomBytes = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

/** The configuration for these environment variables. @throws if a setting is invalid */
export function configOf(env: Record<string, string>): Config {
  const result = readConfig({ env, readFile: () => '' });
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result.config;
}

export type LogLine = { level: string; message: string; fields: LogFields };

export function collectLog(): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const make = (bound: LogFields): Logger => {
    const write =
      (level: string) =>
      (message: string, fields: LogFields = {}): void =>
        void lines.push({ level, message, fields: { ...bound, ...fields } });
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: fields => make({ ...bound, ...fields }),
    };
  };
  return { log: make({}), lines };
}

/** An account with an API key, and its requests. */
export type TestAccount = {
  accountId: string;
  email: string;
  key: string;
  /** A request to the REST API with the account's key; `body` is sent as JSON. */
  call: (method: string, path: string, body?: unknown) => Promise<Response>;
  /** Like `call`, but returns the JSON. @throws if the status differs */
  json: <T = Record<string, unknown>>(status: number, method: string, path: string, body?: unknown) => Promise<T>;
  createEndpoint: (name?: string) => Promise<{ id: string; url: string; eventCount: number }>;
};

export type TestServer = {
  services: Services;
  directory: string;
  lines: LogLine[];
  fetch: (path: string, init?: RequestInit) => Promise<Response>;
  createAccount: (
    email?: string,
    options?: { plan?: Plan; teamOf?: string; password?: string },
  ) => Promise<TestAccount>;
  /** Starts the front the first time. @returns `http://127.0.0.1:PORT` */
  listen: () => Promise<string>;
  /** Sends a delivery through a real socket and returns the new event's id. */
  deliver: (
    endpoint: { url: string },
    body?: BodyInitLike,
    init?: RequestInit & { suffix?: string },
  ) => Promise<string>;
  close: () => Promise<void>;
};

type BodyInitLike = string | Uint8Array;

/** HOOKTAPE_SECRET, if a test does not set it. */
export const testSecret = 'a secret for tests, long enough to be taken';

export type TestServerOptions = {
  env?: Record<string, string>;
  clock?: Clock;
  /** An existing data directory, which is not removed at the end. */
  directory?: string;
  overrides?: Dependencies['overrides'];
  searchLimits?: SearchLimits;
  /** The port of `listen`; any free one by default. */
  port?: number;
};

export async function openTestServer({
  env = {},
  clock = systemClock,
  directory,
  overrides,
  searchLimits = {},
  port = 0,
}: TestServerOptions = {}): Promise<TestServer> {
  const dataDir = directory ?? mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  const hasOwnUrl = 'HOOKTAPE_DATABASE_URL' in env;
  const database = hasOwnUrl ? undefined : await databaseFor(dataDir);
  if (directory === undefined && !hasOwnUrl && !database) prepareDatabase(dataDir);
  const config = configOf({
    HOOKTAPE_DATA_DIR: dataDir,
    HOOKTAPE_RATE_LIMIT: '100000',
    ...(database && { HOOKTAPE_DATABASE_URL: database.url }),
    ...env,
  });
  const { log, lines } = collectLog();
  const services = await createServices({
    config,
    secret: config.secret ?? testSecret,
    log,
    clock,
    random: randomBytes,
    spawn: borrowThread,
    version: 'test',
    usage: () => ({ residentBytes: 64 << 20, cpuSeconds: 1.5 }),
    // The real cost is 50 ms of CPU time for each account and sign-in; passwords.test.ts tests it.
    overrides: { passwordCost: { memoryCost: 8, timeCost: 1 }, ...overrides },
    searchLimits,
    onFatal: error => {
      throw error;
    },
  }).catch(error => {
    // A test may expect this failure: remove the directory.
    if (directory === undefined) rmSync(dataDir, { recursive: true, force: true });
    throw error;
  });
  let app: App | undefined;
  const fetchRequest: App['fetch'] = request => {
    app ??= createApp(services);
    return app.fetch(request);
  };
  const fetchApp: TestServer['fetch'] = async (path, init) => fetchRequest(new Request(`http://internal${path}`, init));

  const createAccount: TestServer['createAccount'] = async (
    email = 'owner@example.com',
    { plan = 'pro', teamOf, password } = {},
  ) => {
    const account = await services.account.create({
      email,
      ...(teamOf === undefined ? { plan } : { teamOf }),
      ...(password !== undefined && { password }),
    });
    const { key } = await services.keys.create(account.id, 'test');
    const call: TestAccount['call'] = (method, path, body) =>
      fetchApp(path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const json: TestAccount['json'] = async (status, method, path, body) => {
      const response = await call(method, path, body);
      const text = await response.text();
      if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text);
    };
    const createEndpoint: TestAccount['createEndpoint'] = (name = 'inbox') =>
      json(201, 'POST', '/api/endpoints', { name });
    return { accountId: account.id, email, key, call, json, createEndpoint };
  };

  let origin: Promise<string> | undefined;
  const front = createFront({
    ingest: services.ingest,
    fetch: fetchRequest,
    clientAddress: services.clientAddress,
    ingestUrl: config.ingestUrl,
    onError: services.onError,
  });
  const listen: TestServer['listen'] = () => {
    origin ??= front.listen(port, '127.0.0.1').then(bound => `http://127.0.0.1:${bound}`);
    return origin;
  };

  return {
    services,
    directory: dataDir,
    lines,
    fetch: fetchApp,
    createAccount,
    listen,
    deliver: async ({ url }, body = '{"hello":"world"}', { suffix = '', ...init } = {}) => {
      const response = await fetch(`${await listen()}${new URL(url).pathname}${suffix}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body as string,
        ...init,
      });
      if (!response.ok) throw new Error(`delivery: ${response.status} ${await response.text()}`);
      return ((await response.json()) as { id: string }).id;
    },
    close: async () => {
      services.notifications.shutDown();
      services.listeners.shutDown();
      await services.mcp.close();
      if (origin) await front.close(1000);
      await services.close();
      if (directory !== undefined) return;
      await database?.remove();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
