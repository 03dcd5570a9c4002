import { expect, test } from 'bun:test';
import { decodeBody, encodeBody } from './body-encoding.ts';

test.each([
  [Buffer.from('grün'), 'grün', 'utf8'],
  [Buffer.from([0xff, 0]), '/wA=', 'base64'],
  [Buffer.alloc(0), '', 'utf8'],
] as const)('%p is written as %p in %s, and read back', (bytes, body, bodyEncoding) => {
  expect(encodeBody(bytes)).toEqual({ body, bodyEncoding });
  expect(decodeBody(body, bodyEncoding, 'body')).toEqual(bytes);
});

test.each(['/wA', '/wA=\n', '_wA=', '/wA==', '=', 'a', '=x'])('%p is refused as base64', text => {
  expect(() => decodeBody(text, 'base64', 'edit.body')).toThrow('edit.body is not base64');
});
