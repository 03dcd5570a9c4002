import { expect, test } from 'bun:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { detectCompression, inflate, unsupportedEncoding } from './inflate.ts';

const text = new TextEncoder().encode('{"hello":"world"}'.repeat(1000));

test('gzip is detected by its magic number, deflate by the header', () => {
  expect(detectCompression(gzipSync(text), '')).toBe('gzip');
  expect(detectCompression(deflateSync(text), ' Deflate ')).toBe('deflate');
  expect(detectCompression(text, 'gzip')).toBeUndefined();
  expect(detectCompression(text, 'br')).toBeUndefined();
});

test('encodings that cannot be decompressed are named', () =>
  expect([' BR', 'zstd', 'gzip', 'identity', ''].map(unsupportedEncoding)).toEqual([
    'br',
    'zstd',
    undefined,
    undefined,
    undefined,
  ]));

test('compressed data is decompressed', async () => {
  expect(await inflate(gzipSync(text), 'gzip')).toEqual(text);
  expect(await inflate(deflateSync(text), 'deflate')).toEqual(text);
});

test('damaged data and decompression bombs are not decompressed', async () => {
  expect(await inflate(gzipSync(text).subarray(0, 30), 'gzip')).toBeUndefined();
  expect(await inflate(gzipSync(new Uint8Array(17 << 20)), 'gzip')).toBeUndefined();
});
