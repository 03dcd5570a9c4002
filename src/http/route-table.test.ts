import { describe, expect, test } from 'bun:test';
import { type AppRoute, createRouteTable } from './route-table.ts';

const routes: AppRoute[] = [
  ['GET', '/'],
  ['GET', '/*'],
  ['ALL', '/mcp'],
  ['GET', '/api/things'],
  ['POST', '/api/things'],
  ['GET', '/api/things/:id/parts/:name'],
  ['GET', '/api/things/:id/parts/latest'],
  ['GET', '/.well-known/x'],
].map(([method = '', path = '']) => ({ method, path, hooks: {} }));
const match = createRouteTable(() => routes);
const found = (method: string, path: string) => match(new Request(`http://internal${path}`, { method }));

describe('the route of', () => {
  test.each([
    ['GET', '/api/things', '/api/things'],
    ['POST', '/api/things', '/api/things'],
    ['HEAD', '/api/things', '/api/things'],
    ['GET', '/api/things/', '/api/things'],
    ['GET', '/api/things?x=/y', '/api/things'],
    ['GET', '/api/things/1/parts/a', '/api/things/:id/parts/:name'],
    ['GET', '/api/things/1/parts/latest', '/api/things/:id/parts/latest'],
    ['GET', '/', '/'],
  ])('%s %s is %s', (method, path, template) => {
    expect(found(method, path)?.route?.path).toBe(template);
  });

  test.each([
    '/api',
    '/api/things/1',
    '/api//things',
    '/API/things',
    '/x/api/things',
    '/api/%74hings',
    '/xwell-known/x',
  ])('%s is unknown', path => expect(found('GET', path)).toBeUndefined());

  test('another method is undefined, but its path and its methods are known', () => {
    expect(found('DELETE', '/api/things')).toEqual({ route: undefined, methods: ['GET', 'POST'], params: {} });
    expect(found('POST', '/mcp')).toEqual({ route: undefined, methods: ['ALL'], params: {} });
  });
});

test('parameters are decoded and in their order; what cannot be decoded stays as it is', () => {
  expect(Object.entries(found('GET', '/api/things/a%20b/parts/%zz')?.params ?? {})).toEqual([
    ['id', 'a b'],
    ['name', '%zz'],
  ]);
});

test('a request keeps its route while its method is changed', () => {
  const request = new Request('http://internal/api/things', { method: 'POST' });
  const first = match(request);
  Object.defineProperty(request, 'method', { value: 'DELETE' });
  expect(match(request)).toBe(first);
  expect(first?.route?.path).toBe('/api/things');
});
