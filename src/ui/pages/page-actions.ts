/* What can be done on every signed-in page: the pages to go to, the theme, the help, and signing out. */

import type { CommandOptions } from '../kit/commands.ts';
import { navigate } from '../kit/navigation.tsx';
import { applyTheme } from '../kit/preferences.ts';
import { useActions, useHotkeys } from '../kit/use-hotkeys.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { themes } from './account-menu.tsx';
import { tabsAt } from './endpoint-tabs.ts';
import { sectionsFor } from './settings-sections.ts';

type PageActionsOptions = { path: string; onPalette: () => void; onHelp: () => void; onSignOut: () => void };

export function usePageActions({ path, onPalette, onHelp, onSignOut }: PageActionsOptions): void {
  const { session } = useWorkspace();
  const goTo = (label: string, to: string): CommandOptions => ({
    label,
    run: () => navigate(to),
    section: 'Everywhere',
    isOff: to === path,
  });
  useHotkeys({
    'Mod+k': {
      label: 'Find a command, an endpoint or an event',
      run: onPalette,
      section: 'Everywhere',
      isKeyOnly: true,
    },
    '?': { label: 'Keyboard shortcuts', run: onHelp, section: 'Everywhere' },
  });
  useActions([
    ...tabsAt(path).map(({ name, to }) => goTo(`Go to ${name}`, to)),
    goTo('Go to all endpoints', '/app'),
    goTo('Go to replay jobs', '/app/jobs'),
    ...sectionsFor(session.role).map(({ id, label }) => goTo(`Go to settings: ${label}`, `/app/settings/${id}`)),
    goTo('Open the API docs', '/docs'),
    ...themes.map(
      ({ id, label }): CommandOptions => ({
        label: `Theme: ${label.toLowerCase()}`,
        run: () => applyTheme(id),
        section: 'Everywhere',
      }),
    ),
    { label: 'Sign out', run: onSignOut, section: 'Everywhere' },
  ]);
}
