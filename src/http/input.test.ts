import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { type TObject, Type as t } from '@sinclair/typebox';
import { sucrose } from 'elysia/sucrose';
import { openTestServer, type TestAccount, type TestServer } from '../testing/test-server.ts';
import { jsonInput, queryOf } from './input.ts';

let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string };
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  endpoint = await ada.createEndpoint('inbox');
});
afterAll(() => server.close());

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

describe('a body that is not valid UTF-8', () => {
  test.each([
    ['PATCH', '/api/endpoints/{id}', '{"name":"caf\xe9"}'],
    ['POST', '/api/keys', '{"name":"\xc3("}'],
    ['POST', '/api/keys', '{"name":"cut \xf0\x9f\x98"}'],
    ['POST', '/api/keys', '{"name":"surrogate \xed\xa0\x80"}'],
    ['POST', '/api/keys', '{"name":"k","\xff":1}'],
  ])('400 for %s %s with %j, and nothing is kept', async (method, path, body) => {
    const response = await server.fetch(path.replace('{id}', endpoint.id), {
      method,
      headers: { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' },
      body: latin1(body),
    });
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'the body is not valid UTF-8' }]);
    expect(await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}`)).toMatchObject({ name: 'inbox' });
    expect((await ada.json<{ keys: object[] }>(200, 'GET', '/api/keys')).keys).toHaveLength(1);
  });

  test('U+FFFD itself is a character like any other', async () => {
    expect(await ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { name: 'a\ufffd' })).toMatchObject({
      name: 'a\ufffd',
    });
  });
});

describe('a query parameter that comes twice', () => {
  test.each([
    ['endpointId', '/api/events?endpointId={id}&endpointId={id}'],
    ['limit', '/api/events?endpointId={id}&limit=5&limit=7'],
    ['limit', '/api/events?endpointId={id}&limit=5&%6cimit=5'],
    ['cursor', '/api/events?endpointId={id}&cursor=a&cursor=b'],
    ['q', '/api/events?endpointId={id}&q=a&q='],
    ['format', '/api/endpoints/{id}/export?format=json&format=har'],
    ['q', '/api/endpoints/{id}/export?q=a&q=b'],
    ['lastEventId', '/api/endpoints/{id}/stream?lastEventId=&lastEventId='],
  ])('400 that names %s for %s', async (name, path) => {
    const answer = await ada.json(400, 'GET', path.replaceAll('{id}', endpoint.id));
    expect(answer).toEqual({
      error: `invalid query: ${name}: given more than once`,
      problems: [{ path: name, message: 'given more than once' }],
    });
  });

  test('401 comes before it', async () => {
    expect((await server.fetch('/api/events?limit=1&limit=1')).status).toBe(401);
  });
});

test.each([
  ['parse', (schema: TObject) => jsonInput(schema).parse],
  ['transform', (schema: TObject) => queryOf(schema).transform],
])('the framework can read the source of %s as it is in the executable', (_name, hookOf) => {
  const minifier = new Bun.Transpiler({ loader: 'js', minifyWhitespace: true });
  const source = minifier.transformSync(`export default {${hookOf(t.Object({}))}}`);
  const hook = { toString: () => source.slice(source.indexOf('{') + 1, source.lastIndexOf('}')) };
  const log = spyOn(console, 'log');
  try {
    sucrose({ parse: [{ fn: Object.assign(() => {}, hook) }] } as never);
    expect(log).not.toHaveBeenCalled();
  } finally {
    log.mockRestore();
  }
});
