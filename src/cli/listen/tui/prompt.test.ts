import { describe, expect, test } from 'bun:test';
import { createKeyReader, type Key } from './keys.ts';
import { edit, promptLine, promptOf, promptText } from './prompt.ts';
import { concat, span } from './text.ts';

/** The text with the cursor as `|`, after these keys. */
function after(text: string, ...keys: string[]): string {
  const typed: Key[] = [];
  const read = createKeyReader(key => typed.push(key));
  for (const key of keys) read(Buffer.from(key));
  const prompt = typed.reduce(edit, promptOf(text));
  return `${prompt.before.join('')}|${prompt.after.join('')}`;
}
const [left, right, home, end, remove] = ['\x1b[D', '\x1b[C', '\x1b[H', '\x1b[F', '\x1b[3~'];

describe('a line that is typed', () => {
  test.each([
    ['typing', ['a', 'é', '漢'], 'aé漢|'],
    ['in the middle', ['ac', left, 'b'], 'ab|c'],
    ['Backspace and Delete', ['abcd', left, left, '\x7f', remove], 'a|d'],
    ['beyond the ends', ['a', right, '\x1b[H', left, '\x7f', 'b'], 'b|a'],
    ['Home and End', ['bc', home, 'a', end, 'd'], 'abcd|'],
    ['an emoji is one step', ['x👨‍👩‍👧', left, 'y'], 'xy|👨‍👩‍👧'],
    ['Ctrl+U', ['abc', left, '\x15'], '|c'],
    ['Ctrl+K', ['abc', home, right, '\x0b'], 'a|'],
    ['Ctrl+W', ['type:a verdict:b ', '\x17'], 'type:a |'],
    ['pasted lines', ['\x1b[200~a\r\n\tb\x07\x1b[201~'], 'a b|'],
    ['keys that mean nothing', ['a', '\t', '\x1b[A', '\x1b[5~'], 'a|'],
  ])('%s', (_, keys, expected) => expect(after('', ...keys)).toBe(expected));

  test('has an end', () =>
    expect(promptText(edit(promptOf('x'.repeat(2048)), { kind: 'text', text: 'y' }))).toHaveLength(2048));

  test('shows the part around the cursor, and the mistake in a filter', () => {
    const { line, cursor } = promptLine(promptOf('👩‍💻 tipe:x'), { label: 'F: ', columns: 40, wrongAt: 4 });
    expect(line).toBe(concat(span('F: ', 'strong'), span('👩‍💻 '), span('t', 'alarm'), span('ipe:x')));
    expect(cursor).toBe(3 + 2 + 1 + 6);
    const long = promptLine(promptOf('x'.repeat(100)), { label: 'F: ', columns: 20, wrongAt: 0 });
    expect(Bun.stripANSI(long.line)).toBe(`F: ${'x'.repeat(15)}`);
    expect(long.cursor).toBe(18);
  });
});
