import { describe, expect, test } from 'bun:test';
import { fromFileUrl, toFileUrl } from './file-url.ts';

describe('a path is the same after conversion to a file: URL and back', () => {
  test.each(['/data/hooktape.db', 'data/hooktape.db', '/a b/c#d?e%20f/ä&=+.db', '/x:y/z.db', './up/../x.db'])(
    '%s',
    path => {
      expect(fromFileUrl(toFileUrl(path))).toBe(path);
    },
  );
});

describe('the path of a URL', () => {
  test.each([
    ['file:data/x.db', 'data/x.db'],
    ['file:/data/x.db', '/data/x.db'],
    ['file:///data/a%20b.db', '/data/a b.db'],
    ['file://localhost/data/x.db', '/data/x.db'],
    ['http://localhost/x.db', undefined],
    ['libsql://x', undefined],
    ['/data/x.db', undefined],
  ])('of %s is %p', (url, path) => {
    expect(fromFileUrl(url)).toBe(path);
  });
});
