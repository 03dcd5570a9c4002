/* How keys are written: `Mod+k` is ⌘K on a Mac and Ctrl+K elsewhere, `Alt+ArrowUp` ⌥↑ and Alt+↑. */

/** A Mac has ⌘ where others have Ctrl. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

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
  const plain = key.replace(/^(?:Mod|Alt)\+/, '');
  const name = names[plain] ?? plain;
  if (plain === key) return name;
  if (key.startsWith('Alt+')) return isMac ? `⌥${name}` : `Alt+${name}`;
  return isMac ? `⌘${name.toUpperCase()}` : `Ctrl+${name.toUpperCase()}`;
}
