import { describe, expect, test } from 'bun:test';
import { createDeliveryReader } from './delivery-reader.ts';

const multipart = (body: string | Uint8Array) =>
  createDeliveryReader({
    method: 'POST',
    path: '',
    query: null,
    rawHeaders: [['Content-Type', 'multipart/form-data; boundary=b']],
    body: Buffer.from(body),
  }).form();

describe('a multipart body', () => {
  test('gives the text of its fields and skips its files', () => {
    const form = multipart(
      '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n' +
        '--b\r\nContent-Disposition: form-data; name="y"; filename="f"\r\n\r\nfile\r\n' +
        '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n--b--\r\n',
    );
    expect([...(form ?? [])]).toEqual([['x', ['1', '']]]);
  });

  test('a part with an endless or very long head is not a field', () => {
    const name = 'Content-Disposition: form-data; name="x"';
    expect(multipart(`--b\r\n${name}\r\n--b\r\n${name}\r\n\r\n1\r\n--b--`)?.get('x')).toEqual(['1']);
    expect(multipart(`--b\r\n${name}\r\nz: ${'z'.repeat(5000)}\r\n\r\n1\r\n--b--`)?.size).toBe(0);
  });

  test('many parts without a head before a long tail are searched in linear time', () => {
    // Read through for each part, this takes longer than a test may.
    const tail = Buffer.alloc(160 << 20, 'A');
    expect(multipart(Buffer.concat([Buffer.from('--b\r\n'.repeat(990)), tail, Buffer.from('--b')]))?.size).toBe(0);
  });
});
