import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { exchange } from '../testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };
let origin: string;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  endpoint = await ada.createEndpoint();
  origin = await server.listen();
});
afterAll(() => server.close());

const everyMethod = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];

const bearer = () => ({ authorization: `Bearer ${ada.key}` });

/** Over a socket, because Fetch knows fewer methods than HTTP. */
const ask = async (method: string, path: string, authorization = `Bearer ${ada.key}`) => {
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n`;
  const answer = await exchange(origin, `${head}${authorization && `Authorization: ${authorization}\r\n`}\r\n`);
  return {
    status: Number(answer.slice(9, 12)),
    allow: /^allow: (.*)\r$/im.exec(answer)?.[1],
    // Between the sizes of chunks.
    body: /\{.*\}/.exec(answer)?.[0] ?? '{}',
  };
};

type Paths = Record<string, Record<string, { operationId: string; parameters?: { name: string; in: string }[] }>>;
const described = async (): Promise<Paths> =>
  ((await (await server.fetch('/openapi.json')).json()) as { paths: Paths }).paths;

describe('a method that a known path does not declare gets 405 with Allow', () => {
  const refusedOn = async (path: string, taken: string[]) => {
    for (const method of everyMethod.filter(one => !taken.includes(one))) {
      const { status, allow, body } = await ask(method, path);
      expect([method, path, status, allow]).toEqual([method, path, 405, taken.join(', ')]);
      if (method !== 'HEAD') expect(JSON.parse(body)).toEqual({ error: expect.stringContaining('method not allowed') });
    }
  };

  test('on every path of the interface description', async () => {
    for (const [path, operations] of Object.entries(await described())) {
      const methods = Object.keys(operations).map(method => method.toUpperCase());
      const taken = methods.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      await refusedOn(path.replace(/\{\w+\}/g, 'none'), taken);
    }
  });

  test.each([
    ['/', ['GET', 'HEAD']],
    ['/app/endpoints/ep_1', ['GET', 'HEAD']],
    ['/setup', ['GET', 'HEAD']],
    ['/login', ['GET', 'HEAD']],
    ['/healthz', ['GET', 'HEAD']],
    ['/readyz', ['GET', 'HEAD']],
    ['/metrics', ['GET', 'HEAD']],
    ['/openapi.json', ['GET', 'HEAD']],
    ['/llms.txt', ['GET', 'HEAD']],
    ['/docs', ['GET', 'HEAD']],
    ['/token/', ['POST', 'OPTIONS']],
    ['/authorize', ['GET', 'HEAD']],
    ['/token', ['POST', 'OPTIONS']],
    ['/revoke', ['POST', 'OPTIONS']],
    ['/register', ['POST', 'OPTIONS']],
    ['/jwks', ['GET', 'HEAD', 'OPTIONS']],
    ['/.well-known/oauth-protected-resource/mcp', ['GET', 'HEAD', 'OPTIONS']],
  ])('on %s', refusedOn);

  test('on a file of the dashboard', async () => {
    const script = /src="([^"]+\.js)"/.exec(await (await fetch(origin)).text())?.[1] ?? '';
    expect(await ask('POST', script)).toMatchObject({ status: 405, allow: 'GET, HEAD' });
  });

  test('on /mcp, in the format of its protocol', async () => {
    for (const path of ['/mcp', '/mcp/']) expect(await ask('PUT', path)).toMatchObject({ status: 405, allow: 'POST' });
  });

  test('after 401, and only for known paths', async () => {
    for (const [path, operations] of Object.entries(await described())) {
      const asked = path.replace(/\{\w+\}/g, 'none');
      for (const method of ['GET', 'PUT', 'OPTIONS'])
        if (!Object.hasOwn(operations, method.toLowerCase()))
          expect([method, path, (await ask(method, asked, '')).status]).toEqual([method, path, 401]);
    }
    for (const path of ['/nothing', '/api/nothing', '/api/endpoints/a/b/c', '/chunk.js', '/register/x'])
      for (const method of ['POST', 'PUT', 'OPTIONS'])
        expect([method, path, (await ask(method, path)).status]).toEqual([method, path, 404]);
  });

  test('not for an ingest address, which accepts every method', async () => {
    for (const method of everyMethod)
      expect([method, (await ask(method, new URL(endpoint.url).pathname, '')).status]).toEqual([method, 200]);
  });
});

describe('a path under /api that clients and the router may read differently', () => {
  test('is 404 with a slash at its end', async () => {
    for (const [path, operations] of Object.entries(await described()))
      for (const method of Object.keys(operations)) {
        const asked = `${path.replace('{id}', endpoint.id).replace(/\{\w+\}/g, 'none')}/`;
        expect([method, asked, (await ask(method.toUpperCase(), asked)).status]).toEqual([method, asked, 404]);
      }
    expect((await ask('GET', '/api/me/', '')).status).toBe(401);
  });

  test.each(['..', '.', '%2e%2E', '.%2e', '../', '..?x=/', 'a/../..', '..\\'])(
    'does not address the endpoint with a consumer called %s',
    async name => {
      const path = `/api/endpoints/${endpoint.id}/consumers/${name}`;
      for (const method of ['DELETE', 'PUT', 'GET', 'HEAD'])
        expect([method, (await ask(method, path)).status]).toEqual([method, 400]);
      // A client that resolves the dots itself.
      expect((await fetch(origin + path, { method: 'DELETE', headers: bearer() })).status).toBe(404);
      expect((await ask('GET', `/api/endpoints/${endpoint.id}`)).status).toBe(200);
    },
  );

  test('does not concern paths outside it: deliveries are stored with a slash at the end of theirs', async () => {
    for (const path of ['/docs/', '/healthz/', '/app/'])
      expect([path, (await ask('GET', path)).status]).toEqual([path, 200]);
    expect((await ask('POST', `${new URL(endpoint.url).pathname}/`, '')).status).toBe(200);
  });
});

describe('a query parameter that an operation does not declare', () => {
  test('is refused with 400 by every operation under /api', async () => {
    for (const [path, operations] of Object.entries(await described()))
      for (const [method, { operationId, parameters = [] }] of Object.entries(operations)) {
        const names = parameters.filter(one => one.in === 'query').map(({ name }) => name);
        expect(names).not.toContain('undeclared');
        const asked = `${path.replace(/\{\w+\}/g, 'none')}?undeclared=1`;
        const { status, body } = await ask(method.toUpperCase(), asked);
        expect([operationId, status, JSON.parse(body)]).toEqual([
          operationId,
          400,
          {
            error: 'invalid query: undeclared: no such parameter',
            problems: [{ path: 'undeclared', message: 'no such parameter' }],
          },
        ]);
      }
  });

  test.each(['?limits=5', '?=', '?__proto__=1', '?toString', '?LIMIT=5'])('%s', async query => {
    expect((await ask('GET', `/api/keys${query}`)).status).toBe(400);
    expect((await ask('HEAD', `/api/keys${query}`)).status).toBe(400);
    expect((await ask('GET', `/api/events${query}&endpointId=${endpoint.id}`)).status).toBe(400);
  });

  test('is named in the response, shortened if it is long; a lone question mark is no parameter', async () => {
    const { body } = await ask('GET', `/api/me?${'x'.repeat(5000)}`);
    expect(JSON.parse(body).error.length).toBeLessThan(200);
    expect((await ask('GET', '/api/me?')).status).toBe(200);
  });

  test('changes nothing outside /api', async () => {
    for (const path of ['/healthz?x=1', '/openapi.json?x=1', '/app?x=1'])
      expect((await ask('GET', path)).status).toBe(200);
  });
});
