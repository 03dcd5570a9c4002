import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createKeyDecoder, type Key } from './keys.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const shortOf = (key: Key): string =>
  key.kind === 'key' ? key.name : key.kind === 'paste' ? `paste ${JSON.stringify(key.text)}` : `'${key.text}'`;
const decode = (...chunks: (string | Uint8Array)[]): string[] => {
  const decoder = createKeyDecoder();
  const keys = chunks.flatMap(chunk => decoder.push(typeof chunk === 'string' ? bytes(chunk) : chunk));
  return [...keys, ...decoder.flush()].map(shortOf);
};

const dialects: [name: string, sequence: string, key: string][] = [
  ['xterm', '\x1b[A', 'up'],
  ['xterm, application mode', '\x1bOB', 'down'],
  ['xterm with Ctrl', '\x1b[1;5C', 'right'],
  ['xterm', '\x1b[D', 'left'],
  ['xterm', '\x1b[H', 'home'],
  ['VT220', '\x1b[1~', 'home'],
  ['rxvt', '\x1b[7~', 'home'],
  ['xterm, application mode', '\x1bOF', 'end'],
  ['rxvt', '\x1b[8~', 'end'],
  ['VT220', '\x1b[4~', 'end'],
  ['xterm', '\x1b[5~', 'pageup'],
  ['xterm with Shift', '\x1b[6;2~', 'pagedown'],
  ['xterm', '\x1b[3~', 'delete'],
  ['xterm', '\x1b[Z', 'backtab'],
  ['any', '\r', 'enter'],
  ['keypad', '\x1bOM', 'enter'],
  ['any', '\t', 'tab'],
  ['Unix', '\x7f', 'backspace'],
  ['Windows', '\b', 'backspace'],
  ['any', '\x03', 'ctrl-c'],
  ['Kitty', '\x1b[27u', 'escape'],
  ['Kitty', '\x1b[99;5u', 'ctrl-c'],
  ['Kitty', '\x1b[113u', "'q'"],
  ['Kitty', '\x1b[9;2u', 'backtab'],
  ['xterm, modifyOtherKeys', '\x1b[27;5;99~', 'ctrl-c'],
  ['Windows console', '\x1b[38;72;0;1;0;1_', 'up'],
  ['Windows console', '\x1b[82;19;114;1;0;1_', "'r'"],
  ['Windows console', '\x1b[27;1;27;1;0;1_', 'escape'],
  ['Windows console', '\x1b[67;46;3;1;8;1_', 'ctrl-c'],
  ['Windows console', '\x1b[13;28;13;1;0;1_', 'enter'],
];

describe('keys', () => {
  test.each(dialects)('%s: %j is %s', (_, sequence, key) => expect(decode(sequence)).toEqual([key]));

  test.each([
    ['a key released on Windows', '\x1b[82;19;114;0;0;1_'],
    ['a function key', '\x1b[15~'],
    ['a function key of the Linux console', '\x1b[[A'],
    ['a function key with a modifier', '\x1b[1;2P'],
    ['Alt with a letter', '\x1bs'],
    ['Kitty: Alt with a letter', '\x1b[115;3u'],
    ['focus', '\x1b[I'],
    ['a mouse report', '\x1b[<0;12;3m'],
    ['an answer to a question of somebody else', '\x1b]11;rgb:0000/0000/0000\x1b\\'],
    ['a device report', '\x1b[?62;22c'],
    ['a DCS answer', '\x1bP1$r0m\x1b\\'],
    ['a C1 control', '\u009b'],
  ])('%s does nothing', (_, sequence) => expect(decode(sequence, 'x')).toEqual(["'x'"]));

  test('bytes that are not UTF-8 do nothing', () =>
    expect(decode(new Uint8Array([0xff, 0x71, 0xc3]))).toEqual(["'q'"]));

  test('Escape alone is Escape once nothing follows', () => {
    const decoder = createKeyDecoder();
    expect([decoder.push(bytes('\x1b')), decoder.isUndecided()]).toEqual([[], true]);
    expect(decoder.flush().map(shortOf)).toEqual(['escape']);
    expect(decoder.isUndecided()).toBe(false);
    expect(decode('\x1b\x1b')).toEqual(['escape', 'escape']);
    expect(decode('\x1b\x1b[A')).toEqual(['escape', 'up']);
  });

  test('a key that looks like the beginning of a long sequence does not swallow the next ones', () => {
    const decoder = createKeyDecoder();
    decoder.push(bytes('\x1bP'));
    expect([decoder.isUndecided(), decoder.flush(), decoder.push(bytes('q')).map(shortOf)]).toEqual([
      true,
      [],
      ["'q'"],
    ]);
  });

  test('arrive in any pieces', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(...dialects.map(([, sequence]) => sequence), 'q', 'é', '漢', '😀', '\x1b[200~p\x1b[201~'),
          {
            minLength: 1,
            maxLength: 8,
          },
        ),
        fc.infiniteStream(fc.integer({ min: 1, max: 4 })),
        (sequences, sizes) => {
          const all = bytes(sequences.join(''));
          const chunks: Uint8Array[] = [];
          for (let at = 0; at < all.length; ) {
            const size = sizes.next().value as number;
            chunks.push(all.subarray(at, at + size));
            at += size;
          }
          expect(decode(...chunks)).toEqual(decode(all));
          expect(decode(all)).toHaveLength(sequences.length);
        },
      ),
    ));
});

describe('pasted text', () => {
  test('is one key, with any content', () => {
    expect(decode('\x1b[200~q\rr\x03\x1b[A\x1b[201~', 's')).toEqual([
      `paste ${JSON.stringify('q\rr\x03\x1b[A')}`,
      "'s'",
    ]);
    expect(decode('\x1b[200~\x1b[201~', 'q')).toEqual(["'q'"]);
  });

  test('of a megabyte is cut, and its end is found', () => {
    const decoder = createKeyDecoder();
    const keys = decoder.push(bytes('\x1b[200~'));
    for (let i = 0; i < 256; i++) keys.push(...decoder.push(bytes('q'.repeat(4096))));
    keys.push(...decoder.push(bytes('\x1b[20')), ...decoder.push(bytes('1~s')));
    expect(keys).toHaveLength(2);
    expect(keys[0]?.kind).toBe('paste');
    expect(keys[0]?.kind === 'paste' && keys[0].text.length).toBe(64 << 10);
    expect(keys.slice(1).map(shortOf)).toEqual(["'s'"]);
  });
});
