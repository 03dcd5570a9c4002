import { describe, expect, test } from 'bun:test';
import { createSealer } from './seal.ts';

const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
const sealer = createSealer('the secret', random);

describe('sealing', () => {
  test.each(['', 'whsec_abc', 'ä😀\u0000', 'x'.repeat(10_000)])('%j comes back', text => {
    expect(sealer.open(sealer.seal(text, 'secret:1'), 'secret:1')).toBe(text);
  });

  test('shows nothing of the text, and never the same twice', () => {
    const [one, two] = [sealer.seal('whsec_abc', 'p'), sealer.seal('whsec_abc', 'p')];
    expect(Buffer.from(one).includes('whsec_abc')).toBe(false);
    expect(Buffer.compare(one, two)).not.toBe(0);
  });

  test('opens under the same secret only, and for the same purpose only', () => {
    const sealed = sealer.seal('text', 'secret:1');
    expect(sealer.open(sealed, 'secret:2')).toBeUndefined();
    expect(createSealer('another', random).open(sealed, 'secret:1')).toBeUndefined();
    expect(createSealer('the secret', random).open(sealed, 'secret:1')).toBe('text');
  });

  test('every altered byte and every cut is noticed', () => {
    const sealed = sealer.seal('text', 'p');
    for (let i = 0; i < sealed.length; i++) {
      const altered = Uint8Array.from(sealed);
      altered[i] = (altered[i] ?? 0) ^ 1;
      expect(sealer.open(altered, 'p')).toBeUndefined();
      expect(sealer.open(sealed.subarray(0, i), 'p')).toBeUndefined();
    }
  });
});
