import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { eventually } from '../../../testing/poll.ts';
import { createKeyReader, type Key } from './keys.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const shortOf = (key: Key): string =>
  key.kind === 'key' ? key.name : key.kind === 'paste' ? `paste ${JSON.stringify(key.text)}` : `'${key.text}'`;
const decode = (...chunks: (string | Uint8Array)[]): string[] => {
  const keys: string[] = [];
  const read = createKeyReader(key => keys.push(shortOf(key)));
  for (const chunk of chunks) read(typeof chunk === 'string' ? bytes(chunk) : chunk);
  return keys;
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
  ['any', '\t', 'tab'],
  ['Unix', '\x7f', 'backspace'],
  ['Windows', '\b', 'backspace'],
  ['any', '\x03', 'ctrl-c'],
];

describe('keys', () => {
  test.each(dialects)('%s: %j is %s', (_, sequence, key) => expect(decode(sequence)).toEqual([key]));

  test.each([
    ['a key in the dialect of Windows', '\x1b[82;19;114;0;0;1_'],
    ['a key in the dialect of Kitty', '\x1b[113u'],
    ['a key of xterm with three numbers', '\x1b[27;5;99~'],
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

  test('Escape alone is Escape once nothing follows', async () => {
    const keys: string[] = [];
    const read = createKeyReader(key => keys.push(shortOf(key)));
    read(bytes('\x1b'));
    expect(keys).toEqual([]);
    await eventually(() => keys.length > 0);
    expect(keys).toEqual(['escape']);
    expect(decode('\x1b\x1b[A')).toEqual(['up']);
  });

  test('a key that looks like the beginning of a long sequence does not swallow the next ones', () =>
    expect(decode('\x1bP', 'q')).toEqual(["'q'"]));

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

  test('of a quarter of a megabyte is cut, and its end is found', () => {
    const keys: Key[] = [];
    const read = createKeyReader(key => keys.push(key));
    read(bytes('\x1b[200~'));
    for (let i = 0; i < 64; i++) read(bytes('q'.repeat(4096)));
    read(bytes('\x1b[20'));
    read(bytes('1~s'));
    expect(keys).toHaveLength(2);
    expect(keys[0]).toEqual({ kind: 'paste', text: 'q'.repeat(64 << 10) });
    expect(keys.slice(1).map(shortOf)).toEqual(["'s'"]);
  });
});
