import { describe, expect, test } from 'bun:test';
import { isAllowedToApps } from './app-permissions.ts';

describe('isOpenToApps', () => {
  test.each([
    ['GET', '/api/me'],
    ['GET', '/api/me/'],
    ['HEAD', '/api/endpoints/ep_1'],
    ['DELETE', '/api/endpoints/ep_1/secrets/sec_1'],
    ['GET', '/api/apps'],
  ])('%s %s is allowed to apps', (method, path) => {
    expect(isAllowedToApps(method, path)).toBe(true);
  });

  test.each([
    ['GET', '/api/team'],
    ['GET', '/api/team/'],
    ['HEAD', '/api/team'],
    ['DELETE', '/api/apps/app_1'],
    ['PUT', '/api/endpoints/ep_1'],
    ['GET', '/api/me/more'],
    ['GET', '/api/not-listed'],
    ['GET', '/x/api/me'],
    ['get', '/api/me'],
  ])('%s %s is denied to apps', (method, path) => {
    expect(isAllowedToApps(method, path)).toBe(false);
  });
});
