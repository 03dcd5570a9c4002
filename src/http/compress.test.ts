import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import zlib from 'node:zlib';
import { createApi } from '../app.ts';
import { openTestServer, type TestAccount, type TestServer } from '../testing/test-server.ts';
import { thrownBy } from '../testing/thrown-by.ts';
import { compressAnswers } from './compress.ts';
import type { Fetcher } from './fetch-adapter.ts';
import { declaredOperations, type RouteMatch } from './route-table.ts';

const decoders: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  zstd: zlib.zstdDecompressSync,
  br: zlib.brotliDecompressSync,
  gzip: zlib.gunzipSync,
};
const decoded = async (response: Response): Promise<string> => {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const encoding = response.headers.get('content-encoding') ?? '';
  return new TextDecoder().decode(decoders[encoding]?.(bytes) ?? bytes);
};

let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };
let event: string;
let large: string;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  for (let n = 0; n < 10; n++) endpoint = await ada.createEndpoint(`endpoint ${n}`);
  event = await server.deliver(endpoint, JSON.stringify({ text: 'déjà vu '.repeat(300) }));
  const parts = Array.from({ length: 60_000 }, (_, n) => `part ${n * 7919}`);
  large = await server.deliver(endpoint, JSON.stringify(parts));
});
afterAll(() => server.close());

const ask = (path: string, accepted?: string, init: RequestInit = {}): Promise<Response> =>
  server.fetch(path, {
    ...init,
    headers: {
      authorization: `Bearer ${ada.key}`,
      ...(accepted !== undefined && { 'accept-encoding': accepted }),
      ...(init.headers as Record<string, string>),
    },
  });
const headersOf = ({ headers }: Response) => [headers.get('content-encoding'), headers.get('vary')];

describe.each(Object.keys(decoders))('%s', encoding => {
  const paths: [string, () => string][] = [
    ['a list of events', () => `/api/events?endpointId=${endpoint.id}`],
    ['an event', () => `/api/events/${event}`],
    ['an event of several hundred kilobytes', () => `/api/events/${large}`],
    ['the platforms', () => '/api/platforms'],
    ['the interface description', () => '/openapi.json'],
  ];
  test.each(paths)('of %s decodes to the plain answer', async (_, path) => {
    const plain = await ask(path());
    const answer = await ask(path(), encoding);
    expect(headersOf(plain)).toEqual([null, 'accept-encoding']);
    expect(headersOf(answer)).toEqual([encoding, 'accept-encoding']);
    expect(answer.status).toBe(plain.status);
    const text = await plain.text();
    expect(await decoded(answer)).toBe(text);
  });

  test.each(['/api/overview', '/api/endpoints'])(
    'of %s has the ETag of the plain answer, and answers 304',
    async path => {
      const etags = (await Promise.all([ask(path), ask(path, encoding)])).map(
        ({ headers }) => headers.get('etag') ?? '',
      );
      expect(etags[0]).toMatch(/^"/);
      expect(etags[1]).toBe(etags[0] ?? '');
      for (const accepted of ['identity', encoding]) {
        const unchanged = await ask(path, accepted, { headers: { 'if-none-match': etags[0] ?? '' } });
        expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
        expect(headersOf(unchanged)).toEqual([null, 'accept-encoding']);
      }
    },
  );

  test.each(['/api/endpoints', '/api/me', () => `/api/events/${large}`, () => `/api/events/${event}`])(
    'HEAD has the headers of GET: %p',
    async given => {
      const path = typeof given === 'string' ? given : given();
      const [get, head] = await Promise.all(['GET', 'HEAD'].map(method => ask(path, encoding, { method })));
      expect(headersOf(head as Response)).toEqual(headersOf(get as Response));
      expect(await head?.text()).toBe('');
      if (get?.headers.get('content-encoding') === encoding) expect(head?.headers.get('content-length')).toBeNull();
    },
  );
});

test('an answer of up to 1 KiB is plain, unless the client refuses that', async () => {
  expect(headersOf(await ask('/api/me', 'gzip'))).toEqual([null, 'accept-encoding']);
  const refused = await ask('/api/me', 'gzip, identity;q=0');
  expect(headersOf(refused)).toEqual(['gzip', 'accept-encoding']);
  expect(await decoded(refused)).toBe(await (await ask('/api/me')).text());
});

test('an error of a route is encoded as its answers are', async () => {
  for (const path of ['/api/events/evt_none', '/api/events?where=x', '/api/events?unknown=1']) {
    const plain = await ask(path);
    const answer = await ask(path, 'br, identity;q=0');
    expect([answer.status, ...headersOf(answer)]).toEqual([plain.status, 'br', 'accept-encoding']);
    expect(await decoded(answer)).toBe(await plain.text());
  }
  const refused = await server.fetch('/api/endpoints', { headers: { 'accept-encoding': 'gzip' } });
  expect([refused.status, ...headersOf(refused)]).toEqual([401, null, 'accept-encoding']);
});

test('a client that accepts no encoding of the server gets the plain answer', async () => {
  for (const accepted of ['', 'deflate', 'gzip;q=0', '*;q=0', 'identity, gzip;q=0.5'])
    expect(headersOf(await ask(`/api/events/${event}`, accepted))).toEqual([null, 'accept-encoding']);
});

test('a request that a browser sends for another site gets the plain answer', async () => {
  const sites = ['none', 'same-origin', 'same-site', 'cross-site'];
  const answers = await Promise.all(
    sites.map(site => ask(`/api/events/${event}`, 'gzip', { headers: { 'sec-fetch-site': site } })),
  );
  expect(answers.map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', 'gzip', null, null]);
});

test('clients read compressed answers through a socket', async () => {
  const ask = async (accepted: string) => {
    const headers = { authorization: `Bearer ${ada.key}`, 'accept-encoding': accepted };
    return fetch(`${await server.listen()}/api/events/${large}`, { headers });
  };
  const plain = await (await ask('identity')).json();
  for (const encoding of Object.keys(decoders)) {
    const answer = await ask(encoding);
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect(await answer.json()).toEqual(plain);
  }
});

describe('never compressed', () => {
  test.each([
    ['the stream', () => `/api/endpoints/${endpoint.id}/stream`],
    ['a body', () => `/api/events/${event}/raw`],
    ...['json', 'har', 'ndjson', 'csv', 'curl'].map(
      format => [`an export as ${format}`, () => `/api/endpoints/${endpoint.id}/export?format=${format}`] as const,
    ),
  ] as [string, () => string][])('is %s', async (_, path) => {
    const answer = await ask(path(), 'gzip, br, zstd, identity;q=0');
    expect([answer.status, ...headersOf(answer)]).toEqual([200, null, null]);
    await answer.body?.cancel();
  });

  test('is a dry run, which shows a signature beside the event', async () => {
    const answer = await ask(`/api/events/${event}/replay`, 'gzip, br, zstd', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'https://example.com/', dryRun: true }),
    });
    expect([answer.status, ...headersOf(answer)]).toEqual([200, null, null]);
    expect((await answer.text()).length).toBeGreaterThan(1024);
  });
});

describe('the routes', () => {
  const operations = () => declaredOperations(createApi(server.services).routes);
  const ids = (method: 'GET' | 'other', compressed: boolean) =>
    operations()
      .filter(one => (one.method === 'GET') === (method === 'GET') && one.compressed === compressed)
      .map(({ operationId }) => operationId)
      .sort();

  test('of GET are compressed but for files and the stream', () => {
    expect(ids('GET', false)).toEqual(['exportEndpoint', 'getEventBody', 'streamEvents']);
  });

  test('of other methods are not, so no answer is that shows a secret once, but for these', () => {
    expect(ids('other', true)).toEqual(['previewAnswers', 'saveFilter', 'setAnswers', 'testFilter']);
  });

  test('that are compressed have no field with a secret', async () => {
    const document = (await (await server.fetch('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
      components: { schemas: Record<string, unknown> };
    };
    const namesIn = (value: unknown, seen: Set<string>): string[] => {
      if (typeof value !== 'object' || value === null) return [];
      return Object.entries(value).flatMap(([key, inner]) => {
        if (key === 'examples' || key === 'example') return [];
        if (key === '$ref' && typeof inner === 'string') {
          const name = inner.split('/').at(-1) ?? '';
          return seen.has(name) ? [] : namesIn(document.components.schemas[name], seen.add(name));
        }
        const own = key === 'properties' ? Object.keys(inner as object) : [];
        return [...own, ...namesIn(inner, seen)];
      });
    };
    const suspicious: Record<string, string[]> = {};
    for (const { operationId, method, path, compressed } of operations()) {
      if (!compressed) continue;
      const answers = Object.entries(document.paths[path]?.[method.toLowerCase()]?.responses ?? {});
      const successes = answers.filter(([status]) => status.startsWith('2'));
      const names = namesIn(successes, new Set()).filter(name => /secret|token|password|cookie/i.test(name));
      if (names.length > 0) suspicious[operationId] = [...new Set(names)].sort();
    }
    // These are `[set]` or null, whether there is one, ids, times, or lists of what is known about secrets.
    const guard = ['password', 'token'];
    expect(suspicious).toEqual({
      getEndpoint: guard,
      getMe: ['password'],
      getSession: ['password'],
      listEndpoints: guard,
      listAlerts: ['secret'],
      listPlatforms: ['secretHint'],
      listSecrets: ['learnSecretsUntil', 'secrets'],
      getReplayJob: ['secretId'],
      listReplayJobs: ['secretId'],
    });
  });
});

describe('an answer in pieces', () => {
  const match = () => ({ route: { isCompressed: true } }) as RouteMatch;
  const json = { 'content-type': 'application/json' };
  const through = (body: ReadableStream<Uint8Array>, accepted = 'br') => {
    const fetch: Fetcher = () => new Response(body, { headers: json });
    return compressAnswers(fetch, match)(new Request('http://x/', { headers: { 'accept-encoding': accepted } }));
  };
  const piece = () => crypto.getRandomValues(new Uint8Array(60_000));

  test('that fails is no complete answer', async () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++pulls > 5) controller.error(new Error('the disk failed'));
        else controller.enqueue(piece());
      },
    });
    const answer = await through(body);
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(await thrownBy(answer.arrayBuffer())).toThrow();
  });

  test('is read only as fast as the client reads, and not after the client has gone', async () => {
    let pulls = 0;
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls++;
        controller.enqueue(piece());
      },
      cancel() {
        isCancelled = true;
      },
    });
    const reader = ((await through(body)).body as ReadableStream).getReader();
    await reader.read();
    await Bun.sleep(50);
    expect(pulls).toBeLessThan(20);
    await reader.cancel();
    await Bun.sleep(10);
    expect(isCancelled).toBe(true);
  });
});
