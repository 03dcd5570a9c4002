/* The menu of the account: who is signed in, the theme, and signing out. */

import { useEffect, useState } from 'preact/hooks';
import { Segmented } from '../kit/controls.tsx';
import { usePopup } from '../kit/menu.tsx';
import { Link } from '../kit/navigation.tsx';
import { applyTheme, currentTheme, type Theme } from '../kit/preferences.ts';
import { useWorkspace } from '../kit/workspace.tsx';

export const themes: { id: Theme; label: string }[] = [
  { id: 'system', label: 'System' },
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
];

export function AccountMenu({ onSignOut, onHelp }: { onSignOut: () => void; onHelp: () => void }) {
  const { session } = useWorkspace();
  const { isOpen, setIsOpen, frame } = usePopup<HTMLDivElement>();
  const [theme, setTheme] = useState(currentTheme);
  // It may have been changed in the command palette.
  useEffect(() => setTheme(currentTheme()), [isOpen]);
  const pickTheme = (next: Theme): void => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <div class="menu anchor" ref={frame}>
      <button
        type="button"
        class="avatar small"
        aria-expanded={isOpen}
        aria-label="Account menu"
        onClick={() => setIsOpen(!isOpen)}
      >
        {session.account.email.charAt(0).toUpperCase()}
      </button>
      {isOpen && (
        <div class="menu-panel popup">
          <p class="menu-who stack">
            <strong>{session.account.email}</strong>
            <span class="faint">
              {session.role === 'owner' ? 'Owner' : 'Member'} · {session.account.plan === 'pro' ? 'Pro' : 'Free'} plan
            </span>
          </p>
          <Segmented label="Theme" options={themes} value={theme} onPick={pickTheme} />
          <Link to="/app/settings/account" onClick={() => setIsOpen(false)}>
            Settings
          </Link>
          <a href="/docs">API docs</a>
          <button
            type="button"
            onClick={() => {
              setIsOpen(false);
              onHelp();
            }}
          >
            Keyboard shortcuts <kbd>?</kbd>
          </button>
          <button type="button" onClick={onSignOut}>
            Sign out
          </button>
        </div>
      )}
    </div>
  );
}
