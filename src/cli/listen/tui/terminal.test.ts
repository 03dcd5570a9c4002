import { describe, expect, test } from 'bun:test';
import { createTerminalEmulator, createTerminalHost } from '../../../testing/terminal-emulator.ts';
import { wantsColor } from './terminal.ts';

async function open() {
  const emulator = createTerminalEmulator();
  emulator.write('$ hooktape listen acme\r\n');
  const before = { cursor: await emulator.cursor(), lines: await emulator.lines(), modes: await emulator.modes() };
  const process = createTerminalHost(emulator);
  const terminal = process.open();
  const state = async () => ({
    cursor: await emulator.cursor(),
    lines: await emulator.lines(),
    modes: await emulator.modes(),
  });
  return { emulator, process, terminal, before, state };
}

describe('the full screen', () => {
  test('is one of its own while it is open, and the terminal is as it was afterwards', async () => {
    const { emulator, process, terminal, before, state } = await open();
    expect([await emulator.isAlternate(), process.seen.isRaw, process.seen.isReading]).toEqual([true, true, true]);
    expect(await emulator.modes()).toEqual({ hasWraparound: false, hasBracketedPaste: true });
    terminal.write('\x1b[5;5H\x1b[31mhello\x1b[?25l');
    terminal.close();
    expect([await emulator.isAlternate(), process.seen.isRaw, process.seen.isReading]).toEqual([false, false, false]);
    expect(await state()).toEqual(before);
    expect(emulator.takeWritten()).toEndWith('\x1b[?25h\x1b[?1049l');
    expect(process.listenerCount()).toBe(0);
  });

  test.each(['exit', 'uncaughtExceptionMonitor'])('is given back on %s', async event => {
    const { emulator, process, before, state } = await open();
    process.emit(event);
    expect([await emulator.isAlternate(), process.seen.isRaw]).toEqual([false, false]);
    expect(await state()).toEqual(before);
  });

  test('is given back before an unhandled rejection is printed', async () => {
    const { emulator, process } = await open();
    expect(() => process.emit('unhandledRejection', new Error('broken'))).toThrow('broken');
    expect([await emulator.isAlternate(), process.seen.isRaw]).toEqual([false, false]);
  });

  test('a terminal that is closed ends the process', async () => {
    const { process } = await open();
    process.emit('SIGHUP');
    expect(process.seen.exitCode).toBe(129);
  });

  test('closing twice writes once, and nothing is written afterwards', async () => {
    const { emulator, terminal } = await open();
    terminal.close();
    emulator.takeWritten();
    terminal.close();
    terminal.write('late');
    expect(emulator.takeWritten()).toBe('');
  });

  test('while another program has the terminal, nothing is drawn or read', async () => {
    const { emulator, process, terminal, before, state } = await open();
    const keys: string[] = [];
    let resized = 0;
    terminal.onInput(bytes => keys.push(Buffer.from(bytes).toString()));
    terminal.onResize(() => resized++);
    const takeBack = terminal.lend();
    terminal.write('in the editor');
    process.emit('data', Buffer.from('x'));
    process.emit('resize');
    expect([keys, resized, process.seen.isRaw, process.seen.isReading]).toEqual([[], 0, false, false]);
    expect(await state()).toEqual(before);
    takeBack();
    process.emit('data', Buffer.from('y'));
    expect([keys, resized, process.seen.isRaw, await emulator.isAlternate()]).toEqual([['y'], 1, true, true]);
    terminal.close();
    takeBack();
    expect(await emulator.isAlternate()).toBe(false);
  });

  test('Ctrl+Z gives the terminal to the shell and takes it again', async () => {
    const { emulator, process, terminal } = await open();
    let resized = 0;
    terminal.onResize(() => resized++);
    emulator.takeWritten();
    terminal.suspend();
    expect(process.seen.stops).toBe(1);
    expect(emulator.takeWritten()).toMatch(/1049l.*1049h/);
    expect([process.seen.isRaw, resized]).toEqual([true, 1]);
  });

  test('after Ctrl+Z and `bg` nothing is read, drawn or changed until the process has the terminal again', async () => {
    const { emulator, process, terminal } = await open();
    const keys: string[] = [];
    terminal.onInput(bytes => keys.push(Buffer.from(bytes).toString()));
    process.seen.isForeground = false;
    terminal.suspend();
    emulator.takeWritten();
    terminal.write('in the background');
    process.emit('SIGCONT');
    process.emit('data', Buffer.from('x'));
    process.seen.waits.shift()?.();
    expect([keys, process.seen.isReading, process.seen.waits.length, emulator.takeWritten()]).toEqual([
      [],
      false,
      1,
      '',
    ]);
    process.seen.isForeground = true;
    process.seen.waits.shift()?.();
    expect([process.seen.isRaw, await emulator.isAlternate(), process.seen.waits.length]).toEqual([true, true, 0]);
    process.emit('data', Buffer.from('y'));
    expect(keys).toEqual(['y']);
  });

  test('in the background it ends without a change of the terminal’s mode', async () => {
    const { emulator, process, terminal } = await open();
    process.seen.isForeground = false;
    process.emit('SIGCONT');
    expect([await emulator.isAlternate(), process.seen.isRaw]).toEqual([false, true]);
    terminal.close();
    process.seen.isForeground = true;
    process.seen.waits.shift()?.();
    expect([await emulator.isAlternate(), process.seen.isRaw, process.listenerCount()]).toEqual([false, true, 0]);
  });

  test('is not taken by a process that starts in the background', async () => {
    const emulator = createTerminalEmulator();
    const process = createTerminalHost(emulator);
    process.seen.isForeground = false;
    process.open();
    expect([emulator.takeWritten(), process.seen.isRaw, process.seen.isReading]).toEqual(['', false, false]);
    process.seen.isForeground = true;
    process.seen.waits.shift()?.();
    expect([await emulator.isAlternate(), process.seen.isRaw]).toEqual([true, true]);
  });

  test('after a stop from elsewhere, everything is set up again', async () => {
    const { emulator, process, terminal } = await open();
    let resized = 0;
    terminal.onResize(() => resized++);
    emulator.write('\x1b[?1049l\x1b[?25h');
    process.emit('SIGCONT');
    expect([await emulator.isAlternate(), resized]).toEqual([true, 1]);
  });
});

test.each([
  [{}, true],
  [{ NO_COLOR: '1' }, false],
  [{ NO_COLOR: '' }, true],
  [{ TERM: 'dumb' }, false],
  [{ TERM: 'vt100' }, false],
  [{ TERM: 'xterm-256color' }, true],
])('colours with %j: %p', (env, isColor) => expect(wantsColor(env)).toBe(isColor));
