import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

describe('the dashboard over the socket', () => {
  let server: TestServer;
  let origin: string;

  beforeAll(async () => {
    server = await openTestServer();
    origin = await server.listen();
  });
  afterAll(() => server.close());

  test('the page is served at every path of it, with the security headers', async () => {
    for (const path of ['/', '/app', '/app/endpoints/ep_1', '/setup?token=x', '/login?return_to=/app']) {
      const response = await fetch(origin + path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
      expect(await response.text()).toContain('<div id="app">');
    }
  });

  test('a setup link that is not valid is marked in the page, and says nothing else', async () => {
    const wrong = '<meta name="setup-link" content="wrong">';
    const textOf = async (path: string) => (await fetch(origin + path)).text();
    const withoutNonces = (text: string) => text.replaceAll(/nonce="[\w-]+"/g, '');
    const link = (await server.services.setup.link()) ?? '';
    const plain = withoutNonces(await textOf('/login'));
    const token = new URL(link).searchParams.get('token') ?? '';
    expect(token).not.toBe('');
    for (const path of [`/setup?token=${token}`, '/setup', `/login?token=${token}x`])
      expect(withoutNonces(await textOf(path))).toBe(plain);
    for (const given of [`${token}x`, token.slice(1), '', '%00', '"><script>', `&token=${token}`]) {
      const text = withoutNonces(await textOf(`/setup?token=${given}`));
      expect(text).toBe(plain.replace('</head>', `${wrong}</head>`));
    }
    // With an account, no link is valid; the session says so to everybody.
    await server.createAccount();
    for (const given of [token, `${token}x`]) expect(withoutNonces(await textOf(`/setup?token=${given}`))).toBe(plain);
  });

  test('the script is compressed and immutable', async () => {
    const script = /src="([^"]+\.js)"/.exec(await (await fetch(origin)).text())?.[1] ?? '';
    const response = await fetch(origin + script, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(await response.text()).toContain('Hooktape');
  });

  test('HEAD answers without a body', async () => {
    const response = await fetch(`${origin}/app`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  test('an unknown path is a 404 in JSON, whatever it looks like', async () => {
    for (const path of ['/nothing', '/app.js', '/api', '/%2e%2e/main.ts', '/chunk.js']) {
      const response = await fetch(origin + path);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ error: expect.any(String) });
    }
  });
});
