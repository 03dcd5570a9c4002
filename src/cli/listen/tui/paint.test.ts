import { describe, expect, test } from 'bun:test';
import { createTerminalEmulator } from '../../../testing/terminal-emulator.ts';
import { createPainter } from './paint.ts';
import { concat, type Line, span } from './text.ts';

const size = { columns: 30, rows: 6 };

function onEmulator({ isColor = true } = {}) {
  const emulator = createTerminalEmulator(size);
  const painter = createPainter({ write: emulator.write, isColor });
  return { emulator, paint: (...lines: Line[]) => painter.paint(lines, size), painter };
}

/** Sequences that move cursors, set titles, query terminals or reorder lines. */
const attacks: [name: string, text: string][] = [
  ['clear the screen', '\x1b[2J\x1b[H'],
  ['move the cursor', '\x1b[1;1H\x1b[10A\x1b[5D'],
  ['set the title', '\x1b]0;owned\x07\x1b]2;owned\x1b\\'],
  ['set the title with C1', '\x9d0;owned\x9c'],
  ['move with C1', '\x9b1;1H\x9b2J'],
  ['write the clipboard', '\x1b]52;c;cm0gLXJmIH4=\x07'],
  ['ask for the state', '\x1b[6n\x1b[c\x1b[>c\x05\x1bP$qm\x1b\\'],
  ['leave the alternate screen', '\x1b[?1049l\x1bc'],
  ['switch the character set', '\x0e\x1b(0\x1b)0'],
  ['start a string that does not end', '\x1bP\x1b_\x1b^\x1bX'],
  ['link somewhere else', '\x1b]8;;https://evil.example\x07click\x1b]8;;\x07'],
  ['ring', '\x07\x07'],
  ['go back', '\b\b\b\b\b\b\b\b\r\r'],
  ['break lines', '\n\n\v\f\x85\u2028\u2029'],
  ['use tabs', '\t\t\t\t\t'],
  ['reorder', '\u202e\u2066\u200f\u061c'],
  ['hide', '\0\u200b\u2060\ufeff\u00ad\u180e'],
  ['pile marks', `e${'\u0301\u0489'.repeat(200)}`],
  ['start with marks', '\u0301\u0301\u0301'],
  ['use tags', '🏴\u{e0067}\u{e0062}\u{e0001}'],
  ['be incomplete character', '\ud83d\udc68\u200d\ud83d'],
  ['be wide', '漢'.repeat(40)],
  ['be joined', '👨‍👩‍👧‍👦'.repeat(30)],
  ['be very wide', '﷽𒐫꧅'.repeat(10)],
];

describe('hostile text', () => {
  test('would be obeyed by the emulator', async () => {
    const { emulator } = onEmulator();
    emulator.write(`above\x1b]0;owned\x07\x1b]52;c;eA==\x07\x07\x1b[6n\x9b2J\x9b3;4H`);
    expect(await emulator.lines()).toEqual(['', '', '', '', '', '']);
    expect(await emulator.cursor()).toEqual({ row: 2, column: 3 });
    expect({ ...emulator, bells: emulator.bells() }).toMatchObject({
      titles: ['owned'],
      clipboard: ['c;eA=='],
      bells: 1,
    });
    expect(emulator.replies).toHaveLength(1);
  });

  test.each(attacks)('cannot %s', async (_, attack) => {
    const { emulator, paint } = onEmulator();
    paint(
      span('above'),
      concat(span(attack, 'selected'), span('after')),
      span('below'),
      span(''),
      span(''),
      span('last'),
    );
    const lines = await emulator.lines();
    expect([lines[0], lines[2], lines[5]]).toEqual(['above', 'below', 'last']);
    expect([lines[3], lines[4]]).toEqual(['', '']);
    expect({ ...emulator, bells: emulator.bells() }).toMatchObject({
      titles: [],
      replies: [],
      clipboard: [],
      bells: 0,
    });
    expect(await emulator.modes()).toMatchObject({ hasWraparound: true });
  });

  test.each(attacks)('that could %s leaves nothing behind when the row is drawn again', async (_, attack) => {
    const { emulator, paint } = onEmulator();
    paint(span(`${attack} x`), span('below'));
    paint(span('short'), span('below'));
    expect((await emulator.lines()).slice(0, 2)).toEqual(['short', 'below']);
  });

  test('text after a character of uncertain width is in its column', async () => {
    const { emulator, paint } = onEmulator();
    // This emulator draws a family as four people, in eight columns.
    paint(concat(span('👨‍👩‍👧‍👦'), span('|')));
    expect([await emulator.cell(0, 2), await emulator.cell(0, 8)]).toEqual(['|', '']);
  });
});

describe('drawing', () => {
  test('writes only the rows that changed', async () => {
    const { emulator, paint } = onEmulator();
    paint(span('one'), span('two'), span('three'));
    emulator.takeWritten();
    paint(span('one'), span('2'), span('three'));
    const written = emulator.takeWritten();
    expect(written).toContain('\x1b[2;1H2');
    for (const other of ['one', 'three', '\x1b[1;', '\x1b[3;']) expect(written).not.toContain(other);
    paint(span('one'), span('2'), span('three'));
    expect(emulator.takeWritten()).toBe('');
    expect((await emulator.lines()).slice(0, 3)).toEqual(['one', '2', 'three']);
  });

  test('a full row stays on its row', async () => {
    const { emulator, paint } = onEmulator();
    paint(span('x'.repeat(100)), span('y'));
    expect((await emulator.lines()).slice(0, 2)).toEqual(['x'.repeat(30), 'y']);
  });

  test('everything is drawn anew after the screen was used by something else', async () => {
    const { emulator, paint, painter } = onEmulator();
    paint(span('one'));
    emulator.write('\x1b[2Jrubbish');
    painter.forget();
    paint(span('one'));
    expect(await emulator.lines()).toEqual(['one', '', '', '', '', '']);
  });

  test('without colour, text is still bold and inverse', async () => {
    const { emulator, paint } = onEmulator({ isColor: false });
    paint(span('held', 'alarm'));
    expect(emulator.takeWritten()).toContain('\x1b[1;7mheld');
    expect(await emulator.hasColors()).toBe(false);
  });
});
