import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { exchange } from './testing/raw-http.ts';
import { configOf, openTestServer, type TestAccount, type TestServer } from './testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let origin: string;
let path: string;
let url: string;

beforeAll(async () => {
  server = await openTestServer({
    env: { HOOKTAPE_BASE_URL: 'https://tape.example.com', HOOKTAPE_INGEST_URL: 'https://in.example.com' },
  });
  ada = await server.createAccount();
  origin = await server.listen();
  ({ url } = await ada.createEndpoint());
  path = new URL(url).pathname;
});
afterAll(() => server.close());

const statusOf = async (requestLine: string, host: string, rest = ''): Promise<number> => {
  const answer = await exchange(origin, `${requestLine}\r\nHost: ${host}\r\nContent-Length: 0${rest}\r\n\r\n`);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
};

describe('HOOKTAPE_INGEST_URL', () => {
  test('is where ingest URLs begin', () => {
    expect(url).toStartWith('https://in.example.com/in/');
  });

  test.each(['in.example.com', 'IN.example.com:443', 'in.example.com.'])('deliveries to %s are taken', async host => {
    expect(await statusOf(`POST ${path} HTTP/1.1`, host)).toBe(200);
    // node:http, because of the method.
    expect(await statusOf(`OPTIONS ${path}/x HTTP/1.1`, host)).toBe(200);
  });

  test.each(['tape.example.com', 'localhost', '127.0.0.1:1', 'xin.example.com', 'in.example.com.evil.test', ''])(
    'there is no /in at %j',
    async host => {
      expect(await statusOf(`POST ${path} HTTP/1.1`, host)).toBe(404);
      expect(await statusOf(`OPTIONS ${path} HTTP/1.1`, host)).toBe(404);
    },
  );

  test.each([
    '/',
    '/api/me',
    '/healthz',
    '/openapi.json',
    '/llms.txt',
    '/login',
    '/mcp',
    '/assets/x.js',
    '/in2',
    '/.well-known/oauth-authorization-server',
  ])('there is no %s on the ingest origin', async target => {
    expect(await statusOf(`GET ${target} HTTP/1.1`, 'in.example.com')).toBe(404);
    expect(await statusOf(`POST ${target} HTTP/1.1`, 'in.example.com')).toBe(404);
  });

  test('everything else is where it was', async () => {
    expect(await statusOf('GET /healthz HTTP/1.1', 'tape.example.com')).toBe(200);
    expect(await statusOf('GET /api/me HTTP/1.1', 'tape.example.com')).toBe(401);
  });

  test('a target in absolute form counts more than Host', async () => {
    expect(await statusOf(`POST https://in.example.com${path} HTTP/1.1`, 'tape.example.com')).toBe(200);
    expect(await statusOf(`POST https://tape.example.com${path} HTTP/1.1`, 'in.example.com')).toBe(404);
    expect(await statusOf('GET https://in.example.com/healthz HTTP/1.1', 'tape.example.com')).toBe(404);
  });

  test('a request after a delivery on the same connection is told apart, too', async () => {
    const request = (target: string, host: string) =>
      `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`;
    const answers = await exchangeAll([request(path, 'in.example.com'), request(path, 'tape.example.com')]);
    expect(answers).toEqual([200, 404]);
  });

  test('must have another host name than HOOKTAPE_BASE_URL', () => {
    const message = 'HOOKTAPE_INGEST_URL: must have another host name than HOOKTAPE_BASE_URL';
    const same = {
      HOOKTAPE_BASE_URL: 'https://tape.example.com',
      HOOKTAPE_INGEST_URL: 'https://tape.example.com:8443',
    };
    expect(() => configOf(same)).toThrow(message);
    expect(() => configOf({ HOOKTAPE_INGEST_URL: 'http://localhost:4665' })).toThrow(message);
  });
});

/** Pipelined on one connection. */
async function exchangeAll(requests: readonly string[]): Promise<number[]> {
  const { openWire } = await import('./testing/raw-http.ts');
  const wire = await openWire(origin);
  wire.write(requests.join(''));
  const text = await wire.until(new RegExp(`(?:HTTP/1\\.1 \\d+[^]*){${requests.length}}`));
  wire.destroy();
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
}
