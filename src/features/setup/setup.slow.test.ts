import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type Browser, openBrowser } from '../../testing/browser.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const baseUrl = 'https://hooks.example.com';
const owner = { email: 'Owner@Example.com', password: 'a good long password' };
let server: TestServer;
let browser: Browser;
beforeEach(async () => {
  server = await openTestServer({ env: { HOOKTAPE_BASE_URL: baseUrl } });
  browser = openBrowser(server, { host: 'hooks.example.com' });
});
afterEach(() => server.close());

const tokenOf = (link: string | undefined) => link?.slice(`${baseUrl}/setup?token=`.length) ?? '';
const newLink = () => server.services.setup.link();

describe('the setup link', () => {
  test('is below BASE_URL, stays the same until it is used, and ends with the first account', async () => {
    const link = await newLink();
    expect(link).toMatch(/^https:\/\/hooks\.example\.com\/setup\?token=[0-9a-z]{52}$/);
    expect(await newLink()).toBe(link);
    expect(await browser.json(401, 'GET', '/api/session')).toMatchObject({ setupRequired: true });
    await server.services.account.create({ email: 'by-command@example.com' });
    expect(await newLink()).toBeUndefined();
    expect(await browser.json(401, 'GET', '/api/session')).toMatchObject({ setupRequired: false });
    await browser.json(401, 'POST', '/api/setup', { token: tokenOf(link), ...owner });
  });

  test('no token is accepted before a link was created', async () => {
    await browser.json(401, 'POST', '/api/setup', { token: '', ...owner });
    await browser.json(401, 'POST', '/api/setup', { token: 'undefined', ...owner });
  });
});

describe('POST /api/setup', () => {
  test('201 with the owner on plan pro, a session, and an endpoint that accepts deliveries', async () => {
    const response = await browser.call('POST', '/api/setup', { token: tokenOf(await newLink()), ...owner });
    expect(response.status).toBe(201);
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-sid=[0-9a-z]{52}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/);
    const { account, endpoint } = (await response.json()) as {
      account: { id: string };
      endpoint: { id: string; url: string };
    };
    expect<unknown>(account).toEqual({
      id: account.id,
      email: 'owner@example.com',
      plan: 'pro',
      createdAt: expect.any(Number),
    });
    expect(endpoint.url).toStartWith(`${baseUrl}/in/`);
    expect(await browser.json(200, 'GET', '/api/session')).toMatchObject({ account, role: 'owner' });
    expect(await browser.json(200, 'GET', '/api/endpoints')).toEqual({ endpoints: [endpoint] });
    await server.deliver(endpoint);
    await browser.json(201, 'POST', '/api/session', owner);
  });

  test('401 for a wrong token and for a used one', async () => {
    const token = tokenOf(await newLink());
    expect(await browser.json(401, 'POST', '/api/setup', { token: token.replace(/.$/, '!'), ...owner })).toEqual({
      error: 'this setup link is not valid; use the one that the server printed when it last started',
    });
    await browser.json(201, 'POST', '/api/setup', { token, ...owner });
    const second = { token, email: 'second@example.com', password: owner.password };
    expect(await browser.json(401, 'POST', '/api/setup', second)).toEqual({
      error: 'there is already an account: sign in with it, or ask its owner for an invitation',
    });
    expect(await server.services.setup.link()).toBeUndefined();
    expect(await server.services.account.list()).toHaveLength(1);
  });

  test('400 for a bad address or password, and the link stays valid', async () => {
    const token = tokenOf(await newLink());
    await browser.json(400, 'POST', '/api/setup', { token, email: 'nobody', password: owner.password });
    await browser.json(400, 'POST', '/api/setup', { token, email: owner.email, password: 'short' });
    await browser.json(201, 'POST', '/api/setup', { token, ...owner });
  });

  test('of many concurrent requests exactly one succeeds, and the others leave nothing behind', async () => {
    const token = tokenOf(await newLink());
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        openBrowser(server, { host: 'hooks.example.com' }).call('POST', '/api/setup', {
          token,
          email: `owner${i}@example.com`,
          password: owner.password,
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401, 401, 401]);
    const { client } = server.services.database;
    for (const table of ['accounts', 'teams', 'endpoints', 'sessions'])
      expect((await client.execute(`SELECT count(*) FROM ${table}`)).rows[0]?.[0]).toBe(1);
  });
});
