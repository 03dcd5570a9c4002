import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { escapeJson, maxEscapedBytes } from './escape.ts';

function escaped(bytes: Uint8Array, cut: number): string {
  const to = Buffer.alloc(bytes.length * maxEscapedBytes + 1);
  const middle = escapeJson(bytes, 0, cut, to, 0);
  return to.toString('utf8', 0, escapeJson(bytes, cut, bytes.length, to, middle));
}

describe('escapeJson', () => {
  test('every character below U+0100', () => {
    const text = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code));
    expect(escaped(Buffer.from(text), 0)).toBe(JSON.stringify(text).slice(1, -1));
  });

  test('any text, cut anywhere, as JSON.stringify writes it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, n) => {
        const bytes = Buffer.from(text);
        expect(escaped(bytes, n % (bytes.length + 1))).toBe(JSON.stringify(text).slice(1, -1));
      }),
    );
  });
});
