import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020';
import { holdClock } from './testing/clock.ts';
import { type Caller, type House, openHouse } from './testing/house.ts';
import { exchange } from './testing/wire.ts';

type Document = {
  info: { version: string };
  servers: { url: string }[];
  paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, { content: Record<string, { schema: object }> }> }>
  >;
  components: { schemas: Record<string, object> };
};

const clock = holdClock();
let house: House;
let ada: Caller;
let document: Document;

beforeAll(async () => {
  house = await openHouse({ clock });
  ada = await house.person();
  document = (await (await house.fetch('/openapi.json')).json()) as Document;
});
afterAll(() => house.close());

describe('/openapi.json', () => {
  test('is valid by an independent validator, with the contract’s version', async () => {
    expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true });
    expect(document.info.version).toBe('2026.09.17');
  });

  test('describes every operation of the contract, and every operation answers 401 and 429', () => {
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
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '429']));
  });

  test('names HOOKTAPE_BASE_URL, and the copy that /docs loads the origin that it was opened at', async () => {
    const copy = (await (await house.fetch('/docs/openapi.json')).json()) as Document;
    expect(document.servers).toEqual([{ url: 'http://localhost:4665' }]);
    expect(copy).toEqual({ ...document, servers: [{ url: '/' }] });
  });

  test('operation ids are unique', () => {
    const ids = Object.values(document.paths).flatMap(item =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('real answers fit it, with nothing missing and nothing undescribed', async () => {
    const ajv = new Ajv2020({ strict: false, formats: { binary: true } });
    ajv.addSchema({ $id: 'doc', ...document });
    const schemaOf = (method: string, path: string, status: number) => {
      const pointer = `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`;
      const validate = ajv.getSchema(`doc#${pointer.replaceAll('{', '%7B').replaceAll('}', '%7D')}`);
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
    const id = await house.deliver(endpoint, '{"a":[1,{"__proto__":2}]}', { suffix: '/sub?x=1&x=2' });
    await fits(200, 'GET', '/api/me', '/api/me');
    await fits(200, 'GET', '/api/endpoints', '/api/endpoints');
    await fits(200, 'GET', '/api/endpoints/{id}', `/api/endpoints/${endpoint.id}`);
    await fits(200, 'PATCH', '/api/endpoints/{id}', `/api/endpoints/${endpoint.id}`, { name: 'new' });
    await fits(400, 'PATCH', '/api/endpoints/{id}', `/api/endpoints/${endpoint.id}`, { name: '' });
    await fits(200, 'GET', '/api/events', `/api/events?endpointId=${endpoint.id}`);
    await fits(400, 'GET', '/api/events', `/api/events?endpointId=${endpoint.id}&limit=0`);
    const detail = await fits(200, 'GET', '/api/events/{id}', `/api/events/${id}`);
    await fits(404, 'GET', '/api/events/{id}', '/api/events/evt_missing');
    await fits(200, 'GET', '/api/keys', '/api/keys');
    const key = await fits(201, 'POST', '/api/keys', '/api/keys', { name: 'k' });
    await fits(200, 'DELETE', '/api/keys/{id}', `/api/keys/${key['id']}`);
    await fits(200, 'DELETE', '/api/endpoints/{id}', `/api/endpoints/${endpoint.id}`);
    const described = Object.keys((document.components.schemas['EventDetail'] as { properties: object }).properties);
    expect(described.sort()).toEqual(Object.keys(detail).sort());
  });
});

describe('/docs', () => {
  test('names no other origin, neither the page nor its policy, and its files are there', async () => {
    const page = await house.fetch('/docs');
    const html = await page.text();
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(2);
    for (const link of links.filter(found => found !== 'data:,')) {
      expect(link).toStartWith('/docs/');
      expect((await house.fetch(link)).status).toBe(200);
    }
  });
});

describe('the order of checks', () => {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const post = (headers: Record<string, string>, body: string) =>
    house.fetch('/api/endpoints', { method: 'POST', headers, body });

  test.each([
    ['nothing', {}],
    ['a malformed key', bearer('nonsense')],
    ['a key that was never made', bearer(`htk_${'0'.repeat(52)}`)],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['two tokens', { authorization: 'Bearer a b' }],
    ['an empty token', { authorization: 'Bearer ' }],
  ])('401 before 400 and 404 with %s', async (_name, headers) => {
    for (const response of [
      await post(headers, '{broken'),
      await house.fetch('/api/events?limit=zero', { headers }),
      await house.fetch('/api/no/such/thing', { headers }),
    ]) {
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toStartWith('Bearer');
      expect(await response.json()).toEqual({ error: expect.any(String) });
    }
  });

  test('the scheme is not case-sensitive', async () => {
    expect((await house.fetch('/api/me', { headers: { authorization: `bEaReR ${ada.key}` } })).status).toBe(200);
  });

  test.each([['{broken'], [''], ['[]'], ['null'], ['"name"'], ['{}'], ['{"name":5}'], ['{"name":null}']])(
    '400 with { error } for the body %s',
    async body => {
      const response = await post({ ...bearer(ada.key), 'content-type': 'application/json' }, body);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: expect.any(String) });
    },
  );

  test('a JSON body is JSON whatever its content type says', async () => {
    const response = await post({ ...bearer(ada.key), 'content-type': 'text/plain' }, '{"name":"typed"}');
    expect(response.status).toBe(201);
  });

  test.each([
    ['GET', '/api/nothing'],
    ['PUT', '/api/endpoints'],
    ['POST', '/api/me'],
    ['GET', '/api/endpoints/%2e%2e%2f%00'],
    ['GET', '/api/events/evt_..%2f'],
    ['DELETE', '/api/keys/%ff'],
  ])('404 with { error } for %s %s', async (method, path) => {
    const response = await ada.call(method, path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: expect.any(String) });
  });

  test('413 with { error } for a huge API body, but 401 first', async () => {
    const origin = await house.listen();
    const request = (auth: string) =>
      `POST /api/endpoints HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/json\r\nContent-Length: 999999999\r\n\r\n`;
    expect(await exchange(origin, request(''))).toMatch(/^HTTP\/1\.1 401 /);
    expect(await exchange(origin, request(`Authorization: Bearer ${ada.key}\r\n`))).toMatch(
      /^HTTP\/1\.1 413 [\s\S]*\{"error"/,
    );
  });

  test.each(['', 'a', 'evil.test/@x', 'a b', 'x:99999'])('a Host of %j changes nothing for the API', async host => {
    const answer = await exchange(
      await house.listen(),
      `GET /api/me HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${ada.key}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('the rate limit', () => {
  test('is exact: the full number in a minute and no more; waiting Retry-After is enough; per credential', async () => {
    const limited = await openHouse({ clock, env: { HOOKTAPE_RATE_LIMIT: '5' } });
    const eve = await limited.person('eve@example.com');
    const status = async (path = '/api/me') => (await eve.call('GET', path)).status;
    expect([await status(), await status()]).toEqual([200, 200]);
    clock.advance(20_000);
    expect([await status(), await status('/api/nothing'), await status()]).toEqual([200, 404, 200]);
    const refused = await eve.call('POST', '/api/endpoints', '{broken');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('40');
    expect(await refused.json()).toEqual({ error: expect.any(String) });

    const other = await limited.services.keys.create(eve.accountId, 'other');
    expect((await limited.fetch('/api/me', { headers: { authorization: `Bearer ${other.key}` } })).status).toBe(200);

    clock.advance(39_999);
    expect(await status()).toBe(429);
    clock.advance(1);
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    clock.setNow(clock.now() + 86_400_000);
    expect(await status()).toBe(429);
    await limited.close();
  });
});

describe('/healthz and /readyz', () => {
  test('need no credentials', async () => {
    expect((await house.fetch('/healthz')).status).toBe(200);
    expect((await house.fetch('/readyz')).status).toBe(200);
  });
});
