import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, type TestAccount, type TestServer } from '../testing/test-server.ts';

type Schema = { $ref?: string; properties?: Record<string, unknown> };
type Operation = {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
};
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } };

let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };
let eventId: string;
let document: Document;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  endpoint = await ada.createEndpoint();
  eventId = await server.deliver(endpoint);
  document = (await (await server.fetch('/openapi.json')).json()) as Document;
});
afterAll(() => server.close());

const shadowed = ['toString', 'valueOf', 'toJSON', 'constructor', 'then', '__proto__', 'hasOwnProperty', 'length'];
const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);
/** JSON texts: `__proto__` is a key like any other there. */
const hostile: readonly string[] = [
  ...shadowed.flatMap(name => [`{"${name}":1}`, `{"${name}":null}`, `{"${name}":{"${name}":{}}}`, `[{"${name}":1}]`]),
  `{${shadowed.map(name => `"${name}":1`).join(',')}}`,
  `{"__proto__":{"name":"x","platform":"stripe","secret":"y"}}`,
  '{"type":"Buffer","data":[1]}',
  'null',
  'true',
  '0',
  '-1e999',
  '1e308',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"__proto__"',
  '{}',
  '[]',
  '[[],{},null]',
  `[${'{},'.repeat(200)}{}]`,
  nested('[', ']', 60),
  nested('[', ']', 20_000),
  `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`,
  `${'{"name":'.repeat(5000)}1${'}'.repeat(5000)}`,
];

const idsIn = (path: string): string =>
  path
    .replace('/api/endpoints/{id}', `/api/endpoints/${endpoint.id}`)
    .replace('/api/events/{id}', `/api/events/${eventId}`)
    .replace(/\{\w+\}/g, 'none');

const send = async (method: string, path: string, body?: string): Promise<void> => {
  const gone = new AbortController();
  const response = await server.fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${ada.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    signal: gone.signal,
    ...(body !== undefined && { body }),
  });
  gone.abort();
  await response.body?.cancel();
  if (response.status >= 500 && response.status !== 502)
    throw new Error(`${response.status} for ${method} ${path} with ${body?.slice(0, 200)}`);
};

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
  );

const propertiesOf = ({ $ref, properties = {} }: Schema): string[] =>
  $ref ? propertiesOf(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}) : Object.keys(properties);

describe('no operation answers 500', () => {
  test('to a hostile body, or to a hostile value in any field', async () => {
    let sent = 0;
    for (const { method, path, requestBody } of operations()) {
      if (!requestBody) continue;
      const fields = propertiesOf(requestBody.content['application/json'].schema);
      expect(fields).not.toEqual([]);
      for (const value of hostile) {
        const bodies = [
          value,
          ...fields.map(field => `{"${field}":${value}}`),
          `{${fields.map(field => `"${field}":${value}`).join(',')}}`,
          `{${fields.map(field => `"${field}":"x"`).join(',')},"unknown":${value}}`,
        ];
        for (const body of bodies) await send(method, idsIn(path), body);
        sent += bodies.length;
      }
    }
    expect(sent).toBeGreaterThan(1000);
    expect(server.lines.filter(line => line.level === 'error')).toEqual([]);
  }, 120_000);

  test('to a hostile query or path parameter', async () => {
    const values = [
      ...shadowed,
      '',
      '%00',
      '%ff',
      '%',
      '[object Object]',
      '{"toString":1}',
      '-1',
      '1e1',
      'a'.repeat(2000),
    ];
    for (const { method, path, parameters = [] } of operations()) {
      if (method !== 'GET' || path.endsWith('/stream')) continue;
      const names = [...parameters.filter(one => one.in === 'query').map(one => one.name), ...shadowed];
      for (const value of values) {
        for (const name of names) {
          await send(method, `${idsIn(path)}?${name}=${value}`);
          await send(
            method,
            `${idsIn(path)}?endpointId=${endpoint.id}&${name}=${value}&${name}=${value}&${name}[]=${value}`,
          );
        }
        if (path.includes('{')) await send(method, path.replace(/\{\w+\}/g, value || 'none'));
      }
    }
    expect(server.lines.filter(line => line.level === 'error')).toEqual([]);
  }, 120_000);

  test.each(['/register', '/mcp'])(
    'to a body at %s',
    async path => {
      for (const value of hostile) {
        await send('POST', path, value);
        for (const field of ['redirect_uris', 'client_name', 'jsonrpc', 'method', 'params', 'id'])
          await send('POST', path, `{"jsonrpc":"2.0","id":1,"method":"tools/call","${field}":${value}}`);
        await send(
          'POST',
          path,
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_event","arguments":${value}}}`,
        );
        await send('POST', path, `{"redirect_uris":["http://localhost/a"],"client_name":${value},"scope":${value}}`);
      }
      expect(server.lines.filter(line => line.level === 'error')).toEqual([]);
    },
    60_000,
  );
});

test('the response names the field but not the received value', async () => {
  const body = { name: { toString: 1, secret: 'hunter2' } };
  expect(await ada.json<object>(400, 'POST', '/api/endpoints', body)).toEqual({
    error: 'invalid body: name: must be a text',
    problems: [{ path: 'name', message: 'must be a text' }],
  });
  expect(await ada.json<object>(400, 'PATCH', `/api/endpoints/${endpoint.id}`, body)).toEqual({
    error: 'invalid body: name: must be a text',
    problems: [{ path: 'name', message: 'must be a text' }],
  });
  expect(await ada.json<object>(400, 'POST', '/api/keys', { name: 'a', unknown: body })).toEqual({
    error: 'invalid body: unknown: no such field',
    problems: [{ path: 'unknown', message: 'no such field' }],
  });
});
