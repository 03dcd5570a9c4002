/* Single-key shortcuts. They are ignored while typing, with a modifier key, and while a dialog is open. */

import { useEffect, useRef } from 'preact/hooks';

export type Hotkeys = Record<string, (event: KeyboardEvent) => void>;

export function useHotkeys(keys: Hotkeys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]')) return;
      const command = Object.hasOwn(current.current, event.key) ? current.current[event.key] : undefined;
      if (!command) return;
      event.preventDefault();
      command(event);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !isToggle(target);

const isToggle = (target: HTMLElement): boolean =>
  target instanceof HTMLInputElement && (target.type === 'checkbox' || target.type === 'radio');
