import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { exchange } from '../testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  endpoint = await ada.createEndpoint();
  await server.deliver(endpoint);
});
afterAll(() => server.close());

const ask = async (
  method: string,
  path: string,
  key = ada.key,
): Promise<{ status: string; head: string; rest: string }> => {
  const request = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const [head = '', rest = ''] = (await exchange(await server.listen(), request)).split(/\r\n\r\n([\s\S]*)/);
  return { status: head.slice(9, 12), head: head.toLowerCase(), rest };
};

describe('HEAD', () => {
  test('of a live stream is answered at once and keeps no stream open', async () => {
    for (let n = 0; n < 25; n++) {
      const { status, head, rest } = await ask('HEAD', `/api/endpoints/${endpoint.id}/stream`);
      expect([status, rest]).toEqual(['200', '']);
      expect(head).toContain('content-type: text/event-stream');
      expect(head).not.toContain('content-length');
    }
    expect(server.services.notifications.openStreams()).toBe(0);
  });

  test('of an export has its headers and reads no events', async () => {
    for (let n = 0; n < 10; n++) {
      const { status, head, rest } = await ask('HEAD', `/api/endpoints/${endpoint.id}/export?format=har`);
      expect([status, rest]).toEqual(['200', '']);
      expect(head).toContain(`filename="service-${endpoint.id}.har"`);
      expect(head).not.toContain('content-length');
    }
  });

  test.each(['stream', 'export', 'stream/'])('of %s is refused like GET', async what => {
    const path = `/api/endpoints/ep_none/${what}`;
    expect((await ask('HEAD', path)).status).toBe('404');
    expect((await ask('HEAD', path, 'none')).status).toBe('401');
    expect((await ask('HEAD', `/api/endpoints/${endpoint.id}/export?format=xml`)).status).toBe('400');
  });

  test('of other responses has the length of GET', async () => {
    const text = await (await ada.call('GET', '/api/me')).text();
    expect((await ask('HEAD', '/api/me')).head).toContain(`content-length: ${Buffer.byteLength(text)}\r\n`);
  });

  test('of an open operation needs no credentials', async () => {
    const { url } = await ada.json<{ url: string }>(201, 'POST', '/api/team/invitations', {
      email: 'guest@example.com',
    });
    for (const path of [`/api/invitations/${url.split('=')[1]}`, '/api/invitations/unknown', '/api/session']) {
      const [get, head] = await Promise.all(['GET', 'HEAD'].map(method => server.fetch(path, { method })));
      expect([path, head?.status]).toEqual([path, get?.status]);
      expect(head?.headers.get('www-authenticate') ?? null).toBe(get?.headers.get('www-authenticate') ?? null);
    }
  });
});
