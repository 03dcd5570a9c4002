import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../app.ts';
import { createAnswerProbe } from '../http/health.ts';
import type { AnsweredRequest } from '../http/request-metrics.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';
import { createLazyApp } from './lazy-app.ts';

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

const request = (path: string, init?: RequestInit) => new Request(`http://internal${path}`, init);
const contentsOf = async (response: Response) => [response.status, [...response.headers], await response.text()];

/** @param failures how often loading fails before it succeeds */
function setUp({ answerProbe = server.services.answerProbe, failures = 0 } = {}) {
  let loads = 0;
  const app = createLazyApp({
    answerProbe,
    load: async () => {
      if (loads++ < failures) throw new Error('the chunk could not be read');
      return createApp(server.services);
    },
  });
  return { fetch: async (path: string, init?: RequestInit) => app.fetch(request(path, init)), loads: () => loads };
}

describe('a health probe', () => {
  test.each(['/healthz', '/readyz', '/readyz?from=kubelet'])(
    'GET %s gets the response of the app without loading it',
    async path => {
      const { fetch, loads } = setUp();
      const expected = await createApp(server.services).fetch(request(path));
      expect(await contentsOf(await fetch(path))).toEqual(await contentsOf(expected));
      expect(loads()).toBe(0);
    },
  );

  test('passes the gate, and is counted by its route and status', async () => {
    const counted: AnsweredRequest[] = [];
    let refusal: Response | undefined;
    const { fetch } = setUp({
      answerProbe: createAnswerProbe({
        gate: { check: async () => refusal },
        readiness: { problem: async () => 'the disk is full' },
        metrics: { request: answered => void counted.push(answered) },
        clock: { monotonic: () => 5 },
      }),
    });
    await fetch('/healthz');
    expect((await fetch('/readyz')).headers.get('retry-after')).toBe('5');
    refusal = new Response(null, { status: 421 });
    expect((await fetch('/readyz')).status).toBe(421);
    const common = { method: 'GET', durationMs: 0 };
    expect(counted).toEqual([
      { ...common, route: '/healthz', status: 200 },
      { ...common, route: '/readyz', status: 503 },
      { ...common, route: '/readyz', status: 421 },
    ]);
  });
});

test('any other request loads the app, once', async () => {
  const { fetch, loads } = setUp();
  const [me, post, head] = await Promise.all([
    fetch('/api/me'),
    fetch('/healthz', { method: 'POST' }),
    fetch('/readyz', { method: 'HEAD' }),
  ]);
  expect([me.status, post.status, head.status]).toEqual([401, 405, 200]);
  expect((await fetch('/healthz/x')).status).toBe(404);
  expect(loads()).toBe(1);
});

test('a failure to load the app is not remembered', async () => {
  const { fetch, loads } = setUp({ failures: 1 });
  const failed = await Promise.allSettled([fetch('/api/me'), fetch('/api/me')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await fetch('/api/me')).status).toBe(401);
  expect(loads()).toBe(2);
});
