import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020';
import { openTestServer, type TestAccount, type TestServer } from '../testing/test-server.ts';

type Parameter = {
  name: string;
  in: string;
  required: boolean;
  schema: {
    type?: string;
    enum?: string[];
    minimum?: number;
    maximum?: number;
    maxLength?: number;
    default?: unknown;
  };
};

type Operation = {
  operationId: string;
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { schema: { $ref?: string } } } };
  responses: Record<string, { content: Record<string, { schema: object }> }>;
};

type Document = {
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: object; additionalProperties?: unknown }> };
};

let server: TestServer;
let ada: TestAccount;
let document: Document;

beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  document = (await (await server.fetch('/openapi.json')).json()) as Document;
});
afterAll(() => server.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
  );

/** The same schemas, taking nothing that they do not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return copy['type'] === 'object' && 'properties' in copy ? { ...copy, additionalProperties: false } : copy;
}

describe('/openapi.json', () => {
  test('is valid by an independent validator, with the contract’s version', async () => {
    expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true });
    expect(document.info.version).toBe('2026.09.17');
  });

  test('describes every operation of the contract, and every operation answers 401, 429 and 503', () => {
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map(method => `${method.toUpperCase()} ${path}`),
    );
    expect(described).toEqual(
      expect.arrayContaining([
        'GET /api/me',
        'GET /api/endpoints',
        'POST /api/endpoints',
        'PATCH /api/endpoints/{id}',
        'DELETE /api/endpoints/{id}',
        'GET /api/events',
        'GET /api/events/{id}',
        'GET /api/events/{id}/raw',
        'GET /api/keys',
        'POST /api/keys',
        'DELETE /api/keys/{id}',
      ]),
    );
    for (const item of Object.values(document.paths))
      for (const { responses } of Object.values(item))
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '429', '503']));
  });

  describe('what is refused before an operation is reached is said of each', () => {
    const session = { cookie: `hooktape_sid=${'0'.repeat(52)}` };
    const page = { ...session, 'sec-fetch-site': 'same-origin' };
    const key = () => ({ authorization: `Bearer ${ada.key}` });
    type Described = ReturnType<typeof operations>[number];
    const any = (): boolean => true;
    const changing = ({ method }: Described): boolean => method !== 'GET';
    const withBody = ({ requestBody }: Described): boolean => requestBody !== undefined;
    const refused = async (status: number, which: (operation: Described) => boolean, init: () => RequestInit) => {
      const asked = operations().filter(which);
      expect(asked.length).toBeGreaterThan(5);
      for (const { method, path, operationId, responses } of asked) {
        const response = await fetch((await server.listen()) + path.replace(/\{\w+\}/g, 'none'), { method, ...init() });
        expect([operationId, response.status]).toEqual([operationId, status]);
        expect((await response.json()) as object).toEqual({
          error: expect.any(String),
          ...(status === 400 && { problems: [{ path: '', message: expect.any(String) }] }),
        });
        // The errors of operations with a filter may have further fields.
        expect(responses[status]?.content['application/json']?.schema).toEqual({
          $ref: expect.stringMatching(/^#\/components\/schemas\/((Filter|RecentSignIn)?Error|Invalid)$/),
        });
      }
    };

    test('421 for another host', () => refused(421, any, () => ({ headers: { ...session, host: 'evil.example' } })));
    test('403 for another site', () =>
      refused(403, changing, () => ({ headers: { ...session, 'sec-fetch-site': 'cross-site' } })));
    test('415 for another type', () =>
      refused(415, changing, () => ({ headers: { ...page, 'content-type': 'text/plain' }, body: '{}' })));
    test('413 for a large body', () => refused(413, withBody, () => ({ headers: key(), body: 'x'.repeat(262_145) })));
    test('400 for a deep one', () => refused(400, withBody, () => ({ headers: key(), body: '['.repeat(65) })));

    test('403 for a token of too small a scope', () => {
      for (const { operationId, responses } of operations())
        expect([operationId, Object.keys(responses)]).toEqual([operationId, expect.arrayContaining(['403'])]);
    });
  });

  test('which operations need no credentials, and where optional ones are used', () => {
    const withoutAny = operations().filter(
      ({ security }) => security?.length === 0 || security?.some(scheme => Object.keys(scheme).length === 0),
    );
    expect(withoutAny.map(({ operationId }) => operationId).toSorted()).toEqual([
      'acceptInvitation',
      'getInvitation',
      'getSession',
      'setUp',
      'signIn',
      'signInWithPasskey',
      'startPasskeySignIn',
    ]);
    expect(operations().find(({ operationId }) => operationId === 'getSession')?.security).toEqual([
      {},
      { bearer: [] },
      { session: [] },
    ]);
  });

  test('operation ids are unique', () => {
    const ids = Object.values(document.paths).flatMap(item =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('real answers fit it, with nothing missing and nothing undescribed', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'doc', ...(closed(document) as Document) });
    const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1');
    const schemaOf = (method: string, path: string, status: number, type = 'application/json') => {
      const pointer = `/paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}/content/${escaped(type)}/schema`;
      const validate = ajv.getSchema(
        `doc#${pointer.replaceAll('{', '%7B').replaceAll('}', '%7D').replaceAll('+', '%2B')}`,
      );
      if (!validate) throw new Error(`no schema for ${method} ${path} ${status}`);
      return validate;
    };
    const fits = async (status: number, method: string, template: string, path: string, body?: unknown) => {
      const answer = await ada.json(status, method, path, body);
      const validate = schemaOf(method, template, status);
      if (!validate(answer)) throw new Error(`${method} ${path}: ${ajv.errorsText(validate.errors)}`);
      return answer;
    };
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint, '{"a":[1,{"__proto__":2}]}', { suffix: '/sub?x=1&x=2' });
    await fits(200, 'GET', '/api/me', '/api/me');
    await fits(200, 'GET', '/api/endpoints', '/api/endpoints');
    await fits(200, 'GET', '/api/endpoints/{id}', `/api/endpoints/${endpoint.id}`);
    await fits(200, 'PATCH', '/api/endpoints/{id}', `/api/endpoints/${endpoint.id}`, { name: 'new' });
    await fits(400, 'PATCH', '/api/endpoints/{id}', `/api/endpoints/${endpoint.id}`, { name: '' });
    await fits(200, 'GET', '/api/events', `/api/events?endpointId=${endpoint.id}`);
    await fits(400, 'GET', '/api/events', `/api/events?endpointId=${endpoint.id}&limit=0`);
    const detail = await fits(200, 'GET', '/api/events/{id}', `/api/events/${id}`);
    await fits(404, 'GET', '/api/events/{id}', '/api/events/evt_missing');
    for (const [format, type] of Object.entries({ json: 'application/json', har: 'application/har+json' })) {
      const response = await ada.call('GET', `/api/endpoints/${endpoint.id}/export?format=${format}`);
      expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      const validate = schemaOf('GET', '/api/endpoints/{id}/export', 200, type);
      if (!validate(await response.json())) throw new Error(`export as ${format}: ${ajv.errorsText(validate.errors)}`);
    }
    for (const headers of [{}, { authorization: 'Bearer htk_unknown' }]) {
      const signedOut = await server.fetch('/api/session', { headers });
      const validate = schemaOf('GET', '/api/session', 401);
      if (!validate(await signedOut.json())) throw new Error(`GET /api/session: ${ajv.errorsText(validate.errors)}`);
    }
    await fits(200, 'GET', '/api/keys', '/api/keys');
    const key = await fits(201, 'POST', '/api/keys', '/api/keys', { name: 'k' });
    await fits(200, 'DELETE', '/api/keys/{id}', `/api/keys/${key['id']}`);
    await fits(200, 'DELETE', '/api/endpoints/{id}', `/api/endpoints/${endpoint.id}`);
    const described = Object.keys((document.components.schemas['EventDetail'] as { properties: object }).properties);
    expect(described.sort()).toEqual(Object.keys(detail).sort());
  });

  test('no name and no constant in it breaks a generated client', () => {
    const names = Object.keys(document.components.schemas);
    // Go clients have a constructor `NewX` for each schema `X`, also for the schemas inside of others.
    expect(names.filter(name => name.startsWith('New'))).toEqual([]);
    // Java clients write a boolean constant as a text.
    expect(JSON.stringify(document)).not.toMatch(/"const":(true|false)/);
  });

  test('a replay without a destination is refused, and does not fit it', async () => {
    const validate = new Ajv2020({ strict: false, validateFormats: false })
      .addSchema({ $id: 'doc', ...document })
      .getSchema('doc#/components/schemas/ReplayRequest');
    const id = await server.deliver(await ada.createEndpoint(), '{}');
    for (const body of [{}, { dryRun: true }, { appendPath: true }]) {
      expect([body, validate?.(body)]).toEqual([body, false]);
      await ada.json(400, 'POST', `/api/events/${id}/replay`, body);
    }
    for (const body of [{ url: 'https://example.com' }, { listener: 'laptop' }]) expect(validate?.(body)).toBe(true);
  });

  test('the audit log has both of its media types', async () => {
    const { content } = operations().find(({ operationId }) => operationId === 'listAudit')?.responses[200] ?? {};
    expect(Object.keys(content ?? {})).toEqual(['application/json', 'application/x-ndjson']);
    const response = await ada.call('GET', '/api/audit?format=ndjson');
    expect(response.headers.get('content-type')).toStartWith('application/x-ndjson');
  });

  test.each(['listEvents', 'exportEndpoint'])('what it says of the query of %s is what is taken', async operationId => {
    const endpoint = await ada.createEndpoint();
    const { path, parameters = [] } = operations().find(one => one.operationId === operationId) ?? {};
    const required: Record<string, string> = { endpointId: endpoint.id };
    const given = parameters
      .filter(one => one.in === 'query' && one.required)
      .map(({ name }) => [name, required[name]]);
    const status = async (name: string, value: unknown): Promise<number> => {
      const query = new URLSearchParams([...given, [name, String(value)]] as [string, string][]);
      const response = await ada.call('GET', `${path?.replace('{id}', endpoint.id)}?${query}`);
      await response.body?.cancel();
      return response.status;
    };
    const limited = parameters.filter(({ schema }) => schema.type === 'integer' || schema.enum || schema.maxLength);
    expect(limited.map(({ name }) => name).sort()).toEqual(
      { listEvents: ['limit', 'q'], exportEndpoint: ['format', 'q'] }[operationId] ?? [],
    );
    for (const { name, schema } of limited) {
      const { minimum = 0, maximum = 0, maxLength = 0, enum: options, default: byDefault } = schema;
      const [taken, refused] = options
        ? [options, ['', 'xml', 'JSON']]
        : maxLength > 0
          ? [['', '😀'.repeat(maxLength)], ['x'.repeat(maxLength + 1)]]
          : [
              [minimum, maximum, byDefault],
              [minimum - 1, maximum + 1, '', '1e1', '0x10', '5.0', ' 5', '05'],
            ];
      for (const value of taken) expect([name, value, await status(name, value)]).toEqual([name, value, 200]);
      for (const value of refused) expect([name, value, await status(name, value)]).toEqual([name, value, 400]);
    }
  });

  test('a field that a request body does not name is refused, and that is said', async () => {
    const asking = operations().filter(({ requestBody }) => requestBody);
    expect(asking.length).toBeGreaterThan(8);
    for (const { method, path, operationId, requestBody } of asking) {
      const { $ref = '' } = requestBody?.content['application/json'].schema ?? {};
      const schema = document.components.schemas[$ref.split('/').at(-1) ?? ''];
      expect([operationId, schema?.additionalProperties]).toEqual([operationId, false]);
      const fields = Object.keys(schema?.properties ?? {}).map(name => [name, 'some words']);
      const body = { ...Object.fromEntries(fields), undescribed: 1 };
      const { error } = await ada.json(400, method, path.replace(/\{\w+\}/g, 'ep_none'), body);
      expect([operationId, error]).toEqual([operationId, 'invalid body: undescribed: no such field']);
    }
  });

  test('no body of a PATCH has a default, which would be set whenever a field is not named', () => {
    const defaultsIn = (value: unknown, at: string): string[] => {
      if (typeof value !== 'object' || value === null) return [];
      const { $ref } = value as { $ref?: unknown };
      if (typeof $ref === 'string') return defaultsIn(document.components.schemas[$ref.split('/').at(-1) ?? ''], at);
      const isField = at.endsWith('.properties');
      return Object.entries(value).flatMap(([key, inner]) =>
        key === 'default' && !isField ? [at] : defaultsIn(inner, `${at}.${key}`),
      );
    };
    const changing = operations().filter(({ method }) => method === 'PATCH');
    expect(changing.length).toBeGreaterThan(3);
    const found = changing.flatMap(({ operationId, requestBody }) => defaultsIn(requestBody, operationId));
    expect(found).toEqual([]);
  });

  test('names HOOKTAPE_BASE_URL; the copy that /docs loads is the same but for the origin, whatever was asked before', async () => {
    const copy = (await (await server.fetch('/docs/openapi.json')).json()) as Document;
    expect(document.servers).toEqual([{ url: 'http://localhost:4665' }]);
    expect(copy).toEqual({ ...document, servers: [{ url: '/' }] });
  });
});

describe('/docs', () => {
  test('names no other origin, neither the page nor its policy, and its files are there', async () => {
    const page = await server.fetch('/docs');
    const html = await page.text();
    const policy = page.headers.get('content-security-policy') ?? '';
    const [, nonce = ''] = /^default-src 'none'; script-src 'nonce-([\w-]{22})'; /.exec(policy) ?? [];
    expect(html.match(/<script /g)).toHaveLength(3);
    expect(html.split(`<script nonce="${nonce}" src=`)).toHaveLength(4);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(2);
    // The way back to the dashboard.
    expect(links).toContain('/app');
    for (const link of links.filter(found => found !== 'data:,' && found !== '/app')) {
      expect(link).toStartWith('/docs/');
      expect((await server.fetch(link)).status).toBe(200);
    }
  });

  test('is the only page: those of the generator are not served', async () => {
    const textOf = async (path: string) => (await server.fetch(path)).text();
    await server.fetch('/openapi.json');
    for (const path of ['/swagger', '/swagger/json', '/document'])
      expect([path, await textOf(path)]).toEqual([path, await textOf('/no-such-page')]);
  });
});
