/* How keys are written: `Mod+k` is ⌘K on a Mac and Ctrl+K elsewhere. */

import { isMac } from './platform-keys.ts';

const names: Record<string, string> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  PageDown: 'Page down',
  PageUp: 'Page up',
  ' ': 'Space',
};

export function keyLabel(key: string): string {
  const plain = key.replace(/^Mod\+/, '');
  const name = names[plain] ?? plain;
  if (plain === key) return name;
  return isMac ? `⌘${name.toUpperCase()}` : `Ctrl+${name.toUpperCase()}`;
}
