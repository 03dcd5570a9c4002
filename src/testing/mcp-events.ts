/* A server with two teams, and what their clients of MCP Events get, without the protocol around it. */
import type { Principal } from '../core/access/principal.ts';
import { systemClock } from '../core/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from './test-server.ts';

export type EventsRequest = { cursor?: string | null; limit?: number; maxAgeMs?: number };

export type EventsHarness = Awaited<ReturnType<typeof openEventsHarness>>;

export async function openEventsHarness(env: Record<string, string> = {}) {
  let aheadMs = 0;
  const now = () => systemClock.now() + aheadMs;
  const server: TestServer = await openTestServer({ clock: { ...systemClock, now }, env });
  const ada = await server.createAccount('ada@example.com');
  const bob = await server.createAccount('bob@example.com');
  const { mcpEvents } = server.services;

  const principalOf = async ({ key }: TestAccount): Promise<Principal> => {
    const found = await server.services.keys.authenticate(key);
    if (!found) throw new Error('the key is not valid');
    return found as unknown as Principal;
  };
  const readWatch = async (account: TestAccount, name: unknown, given?: unknown) =>
    mcpEvents.readWatch(await principalOf(account), name, given);
  return {
    server,
    ada,
    bob,
    now,
    advance: (ms: number): void => {
      aheadMs += ms;
    },
    principalOf,
    readWatch,
    after: async (account: TestAccount, name: string, given: unknown, request: EventsRequest = {}) => {
      const principal = await principalOf(account);
      const reading = { principal, reader: { ...principal, signal: undefined } };
      const watch = await mcpEvents.readWatch(principal, name, given);
      return mcpEvents.occurrencesAfter(reading, watch, { cursor: null, limit: 50, ...request });
    },
    ask: (key: string, method: string, params: object = {}, extensions: object = {}) =>
      answerOf(server.fetch('/mcp', eventsRequest(key, method, params, extensions))),
    /** In the revision of November 2025. */
    askLegacy: (key: string, method: string, params: object = {}) =>
      answerOf(server.fetch('/mcp', mcpPost(key, { jsonrpc: '2.0', id: 1, method, params }))),
    /** Opens a stream; the messages come from `next`, and undefined after the last one. */
    stream: async (key: string, params: object, extensions: object = {}) =>
      readStream(await server.fetch('/mcp', eventsRequest(key, 'events/stream', params, extensions))),
    /** Stores a change of an alert as the evaluation does. */
    addAlertChange: async (endpoint: { id: string }, text: string): Promise<void> => {
      const sql = `INSERT INTO alert_changes (id, endpoint, alert_id, alert_name, kind, firing, text, at)
        SELECT ?, seq, 'alr_1', 'An alert', 'silence', 1, ?, ? FROM endpoints WHERE id = ?`;
      await server.services.database.client.execute({ sql, args: [`alc_${text}`, text, now(), endpoint.id] });
      server.services.notifications.imported('alerts');
    },
    close: server.close,
  };
}

export type StreamMessage = {
  id?: number;
  method?: string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
  params?: Record<string, unknown> & { cursor?: string; eventId?: string; error?: { code: number; data?: unknown } };
};

/** The messages of an event stream as they come. */
export function readStream(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream() as never).getReader() as
    | ReadableStreamDefaultReader<string>
    | undefined;
  let text = '';
  const next = async (): Promise<StreamMessage | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        return JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '') as StreamMessage;
      }
      const read = await reader?.read();
      if (!read || read.done) return undefined;
      text += read.value;
    }
  };
  return {
    response,
    next,
    /** The names of the next messages, without their prefix. */
    names: async (count: number): Promise<string[]> => {
      const names: string[] = [];
      while (names.length < count) {
        const found = await next();
        names.push(found?.method?.replace('notifications/events/', '') ?? (found ? 'result' : 'end'));
      }
      return names;
    },
    close: async (): Promise<void> => void (await reader?.cancel()),
  };
}

const mcpPost = (key: string, message: object, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  },
  body: JSON.stringify(message),
});

/** A request in the revision of July 2026. @param extensions that the client declares */
export function eventsRequest(key: string, method: string, params: object, extensions: object = {}): RequestInit {
  const version = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { extensions },
  };
  const message = { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta } };
  return mcpPost(key, message, { 'mcp-protocol-version': version, 'mcp-method': method });
}

/** The JSON-RPC answer in a response, which is JSON or the only message of an event stream. */
export async function answerOf(response: Promise<Response>): Promise<unknown> {
  const text = await (await response).text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as unknown;
}

/** The error of a promise that is rejected. */
export const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
