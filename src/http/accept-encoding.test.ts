import { describe, expect, test } from 'bun:test';
import { chooseEncoding, refusesIdentity } from './accept-encoding.ts';

const chosen = (header: string | null) => chooseEncoding(header, ['zstd', 'br', 'gzip']);

describe('the encoding that a client prefers', () => {
  test.each([
    [null, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['gzip', 'gzip'],
    ['GZip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=0.9, br;q=0.8', 'gzip'],
    ['br ; q=1.000 ,gzip;q=0.999', 'br'],
    ['zstd;q=0, gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000, br;q=0.001', 'br'],
    ['*', 'zstd'],
    ['*, zstd;q=0', 'br'],
    ['gzip;q=0.5, *;q=0.8', 'zstd'],
    ['*;q=0', undefined],
    ['*;q=0, gzip', 'gzip'],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['identity;q=0', undefined],
    // These are not weights.
    ['gzip;q=', undefined],
    ['gzip;q=2', undefined],
    ['gzip;q=0.1234', undefined],
    ['gzip;level=9', undefined],
    ['xgzip, gzipx, my-br', undefined],
  ])('%p: %p', (header, encoding) => expect(chosen(header)).toBe(encoding as ReturnType<typeof chosen>));
});

test('an answer without encoding is refused only by `identity;q=0`, or by `*;q=0` without `identity`', () => {
  const refused = [null, 'gzip', 'identity;q=0', '*;q=0', '*;q=0, identity;q=0.1', 'gzip, *;q=0'].filter(
    refusesIdentity,
  );
  expect(refused).toEqual(['identity;q=0', '*;q=0', 'gzip, *;q=0']);
});
