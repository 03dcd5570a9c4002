import { describe, expect, test } from 'bun:test';
import { createBrowserGuard } from './browser-guard.ts';
import { createSessionCookie } from './cookie.ts';

const guardOf = (baseUrl: string) =>
  createBrowserGuard({ baseUrl, cookie: createSessionCookie(baseUrl), ownAddresses: () => ['8.8.4.4'] });
const guard = guardOf('http://localhost:4665');
const token = '0'.repeat(52);
const cookie = `hooktape_sid=${token}`;

type Given = Record<string, string>;
const judge = (method: string, path: string, headers: Given, isOpen = false, by = guard): number =>
  by.refuse(new Request(`http://internal${path}`, { method, headers }), path, isOpen)?.status ?? 0;

const json = { 'content-type': 'application/json' };
const origins: [string, Given][] = [
  ['no Origin', {}],
  ['its own Origin', { origin: 'http://localhost:4665' }],
  ['a foreign Origin', { origin: 'https://evil.example' }],
  ['a null Origin', { origin: 'null' }],
  ['another port', { origin: 'http://localhost:3000' }],
];
const sites: [string, Given][] = [
  ['nothing', {}],
  ...['same-origin', 'none', 'same-site', 'cross-site'].map((site): [string, Given] => [
    site,
    { 'sec-fetch-site': site },
  ]),
];
const types: [string, Given, boolean][] = [
  ['JSON', json, true],
  ['JSON with a charset', { 'content-type': 'Application/JSON; charset=utf-8' }, true],
  ['text', { 'content-type': 'text/plain' }, false],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, false],
  ['JSON in disguise', { 'content-type': 'text/plain; application/json' }, false],
  ['almost JSON', { 'content-type': 'application/jsonp' }, false],
  ['no type', {}, false],
];
const matrix = ['POST', 'PATCH', 'DELETE', 'PUT', 'GET'].flatMap(method =>
  origins.flatMap(([originName, origin]) =>
    sites.flatMap(([siteName, site]) =>
      types.map(([typeName, type, isJson]) => ({ method, originName, origin, siteName, site, typeName, type, isJson })),
    ),
  ),
);

describe('a call with a session cookie', () => {
  test.each(matrix)('$method from $originName, Sec-Fetch-Site $siteName, $typeName', row => {
    const { method, originName, origin, siteName, site, typeName, type, isJson } = row;
    const isOwn = siteName === 'nothing' ? originName === 'its own Origin' : ['same-origin', 'none'].includes(siteName);
    const isTyped = isJson || (method === 'DELETE' && typeName === 'no type');
    const expected = method === 'GET' ? 0 : !isOwn ? 403 : !isTyped ? 415 : 0;
    expect(judge(method, '/api/keys', { host: 'localhost:4665', cookie, ...origin, ...site, ...type })).toBe(expected);
  });

  test('over plain http on a LAN, where browsers leave Sec-Fetch-Site out, its own address counts', () => {
    const lan = { host: '192.168.1.9:4665', cookie, ...json };
    expect(judge('POST', '/api/keys', { ...lan, origin: 'http://192.168.1.9:4665' })).toBe(0);
    expect(judge('POST', '/api/keys', { ...lan, origin: 'http://192.168.1.9:3000' })).toBe(403);
    expect(judge('POST', '/api/keys', { ...lan, origin: 'http://192.168.1.10:4665' })).toBe(403);
  });

  test('an https server takes no page of its plain http twin for its own', () => {
    const secure = guardOf('https://hooks.example.com');
    const headers = { host: 'hooks.example.com', cookie: `__Host-sid=${token}`, ...json };
    expect(judge('POST', '/api/keys', { ...headers, origin: 'https://hooks.example.com' }, false, secure)).toBe(0);
    expect(judge('POST', '/api/keys', { ...headers, origin: 'http://hooks.example.com' }, false, secure)).toBe(403);
  });

  test('a bearer call is not judged by its cookie', () => {
    const headers = { host: 'evil.example', cookie, authorization: 'Bearer x', 'sec-fetch-site': 'cross-site' };
    expect(judge('POST', '/api/keys', headers)).toBe(0);
    expect(judge('POST', '/api/session', headers, true)).toBe(0);
  });
});

describe('an open operation', () => {
  test('a program need not say where it comes from, another site is refused', () => {
    expect(judge('POST', '/api/session', json, true)).toBe(0);
    expect(judge('POST', '/api/session', { ...json, 'sec-fetch-site': 'cross-site' }, true)).toBe(403);
    expect(judge('POST', '/api/session', { ...json, origin: 'https://evil.example' }, true)).toBe(403);
    expect(judge('POST', '/api/session', { 'content-type': 'text/plain' }, true)).toBe(415);
    expect(judge('POST', '/api/session', { ...json, host: 'evil.example' }, true)).toBe(421);
  });
});

describe('Host', () => {
  const hosts: [string, number][] = [
    ['localhost:4665', 0],
    ['LocalHost', 0],
    ['app.localhost:80', 0],
    ['127.0.0.1:4665', 0],
    ['[::1]:4665', 0],
    ['hooks.example.com', 0],
    ['HOOKS.example.com.:443', 0],
    ['192.168.1.9', 0],
    ['100.101.102.103', 0],
    ['[fd00::9]:4665', 0],
    ['8.8.4.4', 0],
    ['8.8.8.8', 421],
    ['evil.example', 421],
    ['hooks.example.com.evil.example', 421],
    ['hooks.example.com, evil.example', 421],
    ['localhost.evil.example', 421],
    ['evil.test/@localhost', 421],
    ['user@localhost', 421],
    ['127.1', 421],
    ['', 421],
    ['a b', 421],
  ];
  const secure = guardOf('https://hooks.example.com');
  test.each(hosts)('%j on a page, on a call with a cookie, and beside a bearer token', (host, status) => {
    expect(judge('GET', '/app/endpoints', { host }, false, secure)).toBe(status);
    expect(judge('GET', '/authorize', { host }, false, secure)).toBe(status);
    expect(judge('GET', '/api/me', { host, cookie: `__Host-sid=${token}` }, false, secure)).toBe(status);
    expect(judge('GET', '/api/me', { host, authorization: 'Bearer x' }, false, secure)).toBe(0);
    expect(judge('GET', '/api/me', { host }, false, secure)).toBe(0);
    expect(judge('GET', '/healthz', { host }, false, secure)).toBe(0);
  });

  test('the refusal does not echo it', async () => {
    const request = new Request('http://internal/', { headers: { host: 'evil.example' } });
    const refusal = secure.refuse(request, '/', false);
    expect(await refusal?.text()).not.toContain('evil');
  });
});

describe('the session cookie', () => {
  test('over https it is __Host- and Secure, over http neither', () => {
    const flags = '; Path=/; HttpOnly; SameSite=Lax';
    expect(createSessionCookie('https://hooks.example.com').set(token)).toBe(
      `__Host-sid=${token}${flags}; Secure; Max-Age=5184000`,
    );
    expect(createSessionCookie('http://localhost:4665').set(token)).toBe(
      `hooktape_sid=${token}${flags}; Max-Age=5184000`,
    );
    expect(createSessionCookie('https://hooks.example.com').clear()).toBe(`__Host-sid=${flags}; Secure; Max-Age=0`);
  });

  test.each([
    [`a=b; hooktape_sid=${token}; c=d`, token],
    [`hooktape_sid=short; hooktape_sid=${token}`, token],
    [`xhooktape_sid=${token}`, undefined],
    [`hooktape_sid=${token}x`, undefined],
    [`hooktape_sid="${token}"`, undefined],
    ['', undefined],
  ])('read from %j', (header, found) => {
    const { read } = createSessionCookie('http://localhost:4665');
    expect(read(new Request('http://internal/', { headers: { cookie: header } }))).toBe(found);
  });
});
