import { afterEach, describe, expect, test } from 'bun:test';
import { type Command, type KeyPress, keyName, listedCommands, registerCommands, runKey } from './commands.ts';

const press = (key: string, code = '', modifiers: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  getModifierState: () => false,
  ...modifiers,
});

const capsLock = { getModifierState: (name: string): boolean => name === 'CapsLock' };

describe('the name of a pressed key', () => {
  test.each<[string, KeyPress, boolean, string | undefined]>([
    ['a letter', press('j', 'KeyJ'), false, 'j'],
    ['with Shift', press('N', 'KeyN', { shiftKey: true }), false, 'N'],
    ['with Caps Lock', press('R', 'KeyR', capsLock), false, 'r'],
    ['with Caps Lock and Shift', press('r', 'KeyR', { ...capsLock, shiftKey: true }), false, 'R'],
    ['in another alphabet', press('о', 'KeyJ'), false, 'j'],
    ['on another layout, the letter counts and not its place', press('z', 'KeyY'), false, 'z'],
    ['a sign', press('?', 'Slash', { shiftKey: true }), false, '?'],
    ['Ctrl', press('k', 'KeyK', { ctrlKey: true }), false, 'Mod+k'],
    ['Ctrl with Caps Lock', press('K', 'KeyK', { ctrlKey: true }), false, 'Mod+k'],
    ['⌘ on a Mac', press('k', 'KeyK', { metaKey: true }), true, 'Mod+k'],
    ['Ctrl on a Mac, which moves in a text there', press('k', 'KeyK', { ctrlKey: true }), true, undefined],
    ['the Windows key', press('k', 'KeyK', { metaKey: true }), false, undefined],
    ['a bracket with AltGr', press('[', 'Digit8', { ctrlKey: true, altKey: true }), false, '['],
    ['a bracket with Option', press(']', 'Digit6', { altKey: true }), true, ']'],
    ['⌘ with a bracket, which is the browser’s Back', press('[', 'BracketLeft', { metaKey: true }), true, 'Mod+['],
    ['Alt', press('k', 'KeyK', { altKey: true }), false, undefined],
    ['Ctrl+Shift, which is the browser’s', press('N', 'KeyN', { ctrlKey: true, shiftKey: true }), false, undefined],
  ])('%s', (_, pressed, isMac, name) => expect(keyName(pressed, isMac)).toBe(name));
});

describe('the command of a key', () => {
  const registered: (() => void)[] = [];
  const done: string[] = [];
  const add = (key: string, label: string, options: Partial<Command> = {}): void => {
    const run = (): void => void done.push(label);
    registered.push(registerCommands(() => [{ key, label, section: 'Page', run, ...options }]));
  };
  const runs = (event: Partial<KeyboardEvent> = {}): boolean => runKey('e', event as KeyboardEvent);
  afterEach(() => {
    for (const remove of registered.splice(0)) remove();
    done.length = 0;
  });

  test('is the newest one that has something to do', () => {
    add('e', 'page');
    add('e', 'panel');
    add('e', 'off', { isOff: true });
    add('e', 'passes on', { run: () => false });
    add('e', 'only described', { run: undefined });
    expect(runs()).toBe(true);
    expect(done).toEqual(['panel']);
  });

  test('is gone with its component', () => {
    add('e', 'page');
    registered[0]?.();
    expect(runs()).toBe(false);
    expect(listedCommands()).toEqual([]);
  });

  test('runs once while the key is held, unless it moves', () => {
    add('e', 'send');
    expect(runs({ repeat: true })).toBe(true);
    expect(done).toEqual([]);
    add('e', 'move', { repeats: true });
    runs({ repeat: true });
    expect(done).toEqual(['move']);
  });
});
