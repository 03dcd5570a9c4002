/* The frame of every signed-in page: brand, endpoint switcher, live state, menu, shortcuts, and the rate-limit notice. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { apiListeners } from '../api.ts';
import { visibleName } from '../format/visible.ts';
import { Dialog } from './controls.tsx';
import { Icon, Mark } from './icons.tsx';
import type { PageLocation } from './navigation.tsx';
import { Link, navigate } from './navigation.tsx';
import { applyTheme, currentTheme, type Theme } from './preferences.ts';
import { useHotkeys } from './use-hotkeys.ts';
import { useWorkspace } from './workspace.tsx';

type ShellProps = { place: PageLocation; onSignOut: () => void; children: ComponentChildren };

export function Shell({ place, onSignOut, children }: ShellProps) {
  const [help, setHelp] = useState(false);
  const [slowed, setSlowed] = useState(0);
  useEffect(() => {
    apiListeners.onRateLimited = setSlowed;
  }, []);
  useHotkeys({ '?': () => setHelp(true) });
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="topbar">
        <Link to="/app" class="brand" aria-label="Hooktape, all endpoints">
          <Mark />
          <span>Hooktape</span>
        </Link>
        <EndpointSwitcher place={place} />
        <span class="grow" />
        <nav aria-label="Main">
          <Link
            to="/app/settings/account"
            class="nav-link"
            aria-current={place.path.startsWith('/app/settings') ? 'page' : undefined}
          >
            <Icon name="gear" />
            <span>Settings</span>
          </Link>
          <a href="/docs" class="nav-link">
            <Icon name="external" />
            <span>API</span>
          </a>
        </nav>
        <AccountMenu onSignOut={onSignOut} onHelp={() => setHelp(true)} />
      </header>
      {slowed > 0 && (
        <div class="slowed" role="status">
          The rate limit is reached. Loading goes on by itself in {slowed} s.
        </div>
      )}
      <div id="main" class="content" tabIndex={-1}>
        {children}
      </div>
      {help && <Shortcuts onClose={() => setHelp(false)} />}
    </div>
  );
}

function EndpointSwitcher({ place }: { place: PageLocation }) {
  const { endpoints } = useWorkspace();
  const current = /^\/app\/endpoints\/([^/]+)/.exec(place.path)?.[1] ?? '';
  if (!endpoints || endpoints.length === 0) return null;
  return (
    <div class="switcher">
      <span aria-hidden="true">/</span>
      <select
        aria-label="Endpoint"
        value={endpoints.some(endpoint => endpoint.id === current) ? current : ''}
        onChange={event => navigate(event.currentTarget.value ? `/app/endpoints/${event.currentTarget.value}` : '/app')}
      >
        <option value="">All endpoints</option>
        {endpoints.map(endpoint => (
          <option key={endpoint.id} value={endpoint.id}>
            {visibleName(endpoint.name)}
          </option>
        ))}
      </select>
      <Icon name="chevron" />
    </div>
  );
}

const themes: { id: Theme; label: string }[] = [
  { id: 'system', label: 'System' },
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
];

function AccountMenu({ onSignOut, onHelp }: { onSignOut: () => void; onHelp: () => void }) {
  const { session } = useWorkspace();
  const [open, setOpen] = useState(false);
  const [theme, setTheme] = useState(currentTheme);
  useEffect(() => {
    if (!open) return;
    const close = (event: Event): void => {
      const inside = event.target instanceof Element && event.target.closest('.menu');
      if ((event instanceof KeyboardEvent && event.key === 'Escape') || (event.type === 'pointerdown' && !inside))
        setOpen(false);
    };
    addEventListener('pointerdown', close);
    addEventListener('keydown', close);
    return () => {
      removeEventListener('pointerdown', close);
      removeEventListener('keydown', close);
    };
  }, [open]);
  const pickTheme = (next: Theme): void => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <div class="menu">
      <button
        type="button"
        class="avatar"
        aria-expanded={open}
        aria-label="Account menu"
        onClick={() => setOpen(!open)}
      >
        {session.account.email.charAt(0).toUpperCase()}
      </button>
      {open && (
        <div class="menu-panel">
          <p class="menu-who">
            <strong>{session.account.email}</strong>
            <span>
              {session.role === 'owner' ? 'Owner' : 'Member'} · {session.account.plan === 'pro' ? 'Pro' : 'Free'} plan
            </span>
          </p>
          <fieldset class="segmented fill">
            <legend class="offscreen">Theme</legend>
            {themes.map(one => (
              <button key={one.id} type="button" aria-pressed={theme === one.id} onClick={() => pickTheme(one.id)}>
                {one.label}
              </button>
            ))}
          </fieldset>
          <Link to="/app/settings/account" onClick={() => setOpen(false)}>
            Settings
          </Link>
          <a href="/docs">API and explorer</a>
          <button
            type="button"
            onClick={() => {
              setOpen(false);
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

const shortcuts: [keys: string[], what: string][] = [
  [['j', 'k'], 'Next and previous event'],
  [['/'], 'Search'],
  [['r'], 'Replay the event, or the selected ones'],
  [['c'], 'Copy the event as a curl command'],
  [['1', '5'], 'Body, headers, query, signature, replays'],
  [['x'], 'Select the event for comparing or replaying'],
  [['p'], 'Pause and resume the live list'],
  [['g'], 'Newest event'],
  [['?'], 'This list'],
];

const Shortcuts = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keyboard shortcuts" onClose={onClose}>
    <dl class="shortcuts">
      {shortcuts.map(([keys, what]) => (
        <div key={what}>
          <dt>
            {keys.map((key, index) => (
              <>
                {index > 0 && <span>{key === '5' ? '–' : ' '}</span>}
                <kbd key={key}>{key}</kbd>
              </>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
