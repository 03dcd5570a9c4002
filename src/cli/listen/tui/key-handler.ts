/* Maps keys to actions. While the user types a line, no key is a command; pasted text never is. */
import { createActions } from './actions.ts';
import type { Context } from './effects.ts';
import type { Key } from './keys.ts';
import { createNavigation, typeInFilterPrompt } from './navigation.ts';

export function createKeyHandler(context: Context): (key: Key) => void {
  const { effects } = context;
  const { ui } = context.state;
  const commands: Record<string, () => void> = {
    ...createNavigation(context),
    ...createActions(context),
    q: effects.quit,
    'ctrl-c': effects.quit,
    'ctrl-l': effects.refresh,
    'ctrl-z': effects.suspend,
  };

  return key => {
    if (ui.prompt) {
      typeInFilterPrompt(context, key);
      return;
    }
    if (key.kind === 'paste') return;
    if (!ui.isEnding) ui.message = undefined;
    const name = key.kind === 'key' ? key.name : key.text;
    if (Object.hasOwn(commands, name)) commands[name]?.();
  };
}
