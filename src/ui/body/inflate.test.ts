import { expect, test } from 'bun:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { detectCompression, inflate, unsupportedEncoding } from './inflate.ts';

const text = new TextEncoder().encode('{"hello":"world"}'.repeat(1000));

test('gzip is known by its magic, deflate by its header', () => {
  expect(detectCompression(gzipSync(text), '')).toBe('gzip');
  expect(detectCompression(deflateSync(text), ' Deflate ')).toBe('deflate');
  expect(detectCompression(text, 'gzip')).toBeUndefined();
  expect(detectCompression(text, 'br')).toBeUndefined();
});

test('encodings that are not opened are named', () =>
  expect([' BR', 'zstd', 'gzip', 'identity', ''].map(unsupportedEncoding)).toEqual([
    'br',
    'zstd',
    undefined,
    undefined,
    undefined,
  ]));

test('what was compressed comes back', async () => {
  expect(await inflate(gzipSync(text), 'gzip')).toEqual(text);
  expect(await inflate(deflateSync(text), 'deflate')).toEqual(text);
});

test('damage and bombs give nothing', async () => {
  expect(await inflate(gzipSync(text).subarray(0, 30), 'gzip')).toBeUndefined();
  expect(await inflate(gzipSync(new Uint8Array(17 << 20)), 'gzip')).toBeUndefined();
});
