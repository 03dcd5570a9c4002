/* Commands of a component while it is shown. Keys are ignored while typing (except with Mod) and while a dialog is open. */

import { createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import {
  type Command,
  type CommandOptions,
  keyName,
  type Run,
  registerCommands,
  runKey,
  type Section,
} from './commands.ts';

/** Without a label, a key is neither in the help nor in the command palette. */
export type Hotkeys = Record<string, Run | CommandOptions>;

/** Where the commands of the components inside belong in the help, unless they say it themselves. */
export const CommandSection = createContext<Section>('Page');

import { isMac } from './key-label.ts';

export function useHotkeys(keys: Hotkeys, own?: Section): void {
  useCommands(section =>
    Object.entries(keys).map(([key, one]) => {
      const options = typeof one === 'function' ? { label: '', run: one } : one;
      return { section: own ?? section, ...options, key };
    }),
  );
}

/** Commands of the palette that have no key. */
export function useActions(actions: readonly CommandOptions[]): void {
  useCommands(section => actions.map(action => ({ section, ...action, key: '' })));
}

/** Lines of the help about keys that the component handles itself, such as the arrows in a list. */
export function useKeyNotes(notes: Record<string, string>, own?: Section): void {
  useCommands(section =>
    Object.entries(notes).map(([key, label]) => ({
      section: own ?? section,
      label,
      key,
      run: undefined,
      isKeyOnly: true,
    })),
  );
}

function useCommands(commands: (section: Section) => Command[]): void {
  const section = useContext(CommandSection);
  const current = useRef(commands);
  current.current = commands;
  // Before it is painted: a key that is pressed as soon as something is seen is not lost.
  useLayoutEffect(() => registerCommands(() => current.current(section)), [section]);
}

const onKey = (event: KeyboardEvent): void => {
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return;
  const name = keyName(event, isMac);
  if (name === undefined || (isTyping(event.target) && !name.startsWith('Mod+'))) return;
  if (runKey(name, event)) event.preventDefault();
};
addEventListener('keydown', onKey);

// Browsers do not mark the focus that a page gives to a region after a key. With this, the style can.
addEventListener('keydown', () => document.documentElement.toggleAttribute('data-keys', true), { capture: true });
addEventListener('pointerdown', () => document.documentElement.removeAttribute('data-keys'), { capture: true });

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !isToggle(target);

const isToggle = (target: HTMLElement): boolean =>
  target instanceof HTMLInputElement && (target.type === 'checkbox' || target.type === 'radio');
