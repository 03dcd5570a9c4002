import { describe, expect, test } from 'bun:test';
import { boundaryOf, parseMultipart } from './multipart.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (body: Uint8Array | undefined): string => new TextDecoder().decode(body);

describe('multipart', () => {
  const body = [
    'preamble',
    '--cut',
    'Content-Disposition: form-data; name="note"',
    '',
    'line one\r\n--cutter is text\r\n',
    '--cut',
    'content-disposition: form-data; name="file"; filename="a%22b.png"',
    'Content-Type: image/png',
    '',
    '\u0000\r\n',
    '--cut--',
    'epilogue',
  ].join('\r\n');

  test('parts keep their headers, names and exact bytes', () => {
    const parts = parseMultipart(bytes(body), 'cut');
    expect(parts).toHaveLength(2);
    expect(parts[0]?.name).toBe('note');
    expect(text(parts[0]?.bytes)).toBe('line one\r\n--cutter is text\r\n');
    expect(parts.at(-1)).toMatchObject({ name: 'file', filename: 'a"b.png', contentType: 'image/png' });
    expect(parts.at(-1)?.bytes).toEqual(Uint8Array.of(0, 13, 10));
  });

  test('bare line feeds and a missing closing boundary are accepted; a body without the boundary has no parts', () => {
    const parts = parseMultipart(bytes('--b\nContent-Disposition: form-data; name=x\n\nvalue'), 'b');
    expect(parts.map(part => [part.name, text(part.bytes)])).toEqual([['x', 'value']]);
    expect(parseMultipart(bytes('nothing here'), 'b')).toEqual([]);
  });

  test('the boundary is read from the content type', () => {
    expect(boundaryOf('multipart/form-data; charset=x; boundary="a b;c"')).toBe('a b;c');
    expect(boundaryOf('Multipart/Mixed;boundary=xyz; q=1')).toBe('xyz');
    expect(boundaryOf('text/plain; boundary=x')).toBeUndefined();
  });
});
