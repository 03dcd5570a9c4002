import { expect, test } from 'bun:test';
import { findRoute } from './routes.ts';

const table = {
  '/': 'root',
  '/app': 'home',
  '/app/endpoints/:id': 'endpoint',
  '/app/endpoints/:id/events/:event?': 'events',
  '/app/endpoints/:id/destinations/new': 'new',
  '/app/endpoints/:id/destinations/:forward': 'forward',
};

test.each([
  ['/', 'root', {}],
  ['/app', 'home', {}],
  ['/app/', 'home', {}],
  ['/app/endpoints/ep_1', 'endpoint', { id: 'ep_1' }],
  ['/app/endpoints/ep_1/events', 'events', { id: 'ep_1', event: '' }],
  ['/app/endpoints/ep_1/events/evt_1', 'events', { id: 'ep_1', event: 'evt_1' }],
  ['/app/endpoints/ep_1/destinations/new', 'new', { id: 'ep_1' }],
  ['/app/endpoints/ep_1/destinations/fwd_1', 'forward', { id: 'ep_1', forward: 'fwd_1' }],
  ['/app/endpoints/a%2Fb', 'endpoint', { id: 'a/b' }],
  ['/app/endpoints/%zz', 'endpoint', { id: '%zz' }],
])('%s is %s', (path, route, params) => expect(findRoute(table, path)).toEqual({ route, params }));

test.each(['/other', '/app/endpoints', '/app/endpoints/ep_1/other', '/app/endpoints/ep_1/events/evt_1/more'])(
  '%p has no route',
  path => expect(findRoute(table, path)).toBeUndefined(),
);
