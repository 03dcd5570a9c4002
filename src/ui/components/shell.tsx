/* The layout of every signed-in page: brand, endpoint switcher, navigation, account menu, shortcuts, and the rate-limit notice. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { apiListeners } from '../api.ts';
import { visibleName } from '../format/visible.ts';
import { Dialog } from './controls.tsx';
import { Icon, type IconName, Mark } from './icons.tsx';
import type { PageLocation } from './navigation.tsx';
import { Link, navigate } from './navigation.tsx';
import { applyTheme, currentTheme, type Theme } from './preferences.ts';
import { useHotkeys } from './use-hotkeys.ts';
import { useWorkspace } from './workspace.tsx';

type ShellProps = { url: PageLocation; onSignOut: () => void; children: ComponentChildren };

export function Shell({ url, onSignOut, children }: ShellProps) {
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const [waitSeconds, setWaitSeconds] = useState(0);
  useEffect(() => {
    apiListeners.onRateLimited = setWaitSeconds;
  }, []);
  useHotkeys({ '?': () => setIsHelpOpen(true) });
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
        <EndpointSwitcher url={url} />
        <EndpointLinks url={url} />
        <span class="grow" />
        <nav aria-label="Main">
          <Link
            to="/app/settings/account"
            class="nav-link"
            aria-current={url.path.startsWith('/app/settings') ? 'page' : undefined}
          >
            <Icon name="gear" />
            <span>Settings</span>
          </Link>
          <a href="/docs" class="nav-link">
            <Icon name="external" />
            <span>API</span>
          </a>
        </nav>
        <AccountMenu onSignOut={onSignOut} onHelp={() => setIsHelpOpen(true)} />
      </header>
      {waitSeconds > 0 && (
        <div class="slowed" role="status">
          Rate limit reached. Loading continues in {waitSeconds} s.
        </div>
      )}
      <div id="main" class="content" tabIndex={-1}>
        {children}
      </div>
      {isHelpOpen && <Shortcuts onClose={() => setIsHelpOpen(false)} />}
    </div>
  );
}

/** The other pages of the endpoint that is open. */
function EndpointLinks({ url }: { url: PageLocation }) {
  const base = /^\/app\/endpoints\/[^/]+/.exec(url.path)?.[0];
  if (!base) return null;
  const link = (page: string, label: string, icon: IconName) => (
    <Link
      to={`${base}/${page}`}
      class="nav-link"
      aria-label={label}
      title={label}
      aria-current={url.path === `${base}/${page}` ? 'page' : undefined}
    >
      <Icon name={icon} />
      <span>{label}</span>
    </Link>
  );
  return (
    <nav class="endpoint-nav" aria-label="Endpoint">
      {link('schemas', 'Schemas', 'braces')}
      {link('settings', 'Endpoint settings', 'gear')}
    </nav>
  );
}

function EndpointSwitcher({ url }: { url: PageLocation }) {
  const { endpoints } = useWorkspace();
  const current = /^\/app\/endpoints\/([^/]+)/.exec(url.path)?.[1] ?? '';
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
  const [isOpen, setIsOpen] = useState(false);
  const [theme, setTheme] = useState(currentTheme);
  useEffect(() => {
    if (!isOpen) return;
    const close = (event: Event): void => {
      const isInside = event.target instanceof Element && event.target.closest('.menu');
      if ((event instanceof KeyboardEvent && event.key === 'Escape') || (event.type === 'pointerdown' && !isInside))
        setIsOpen(false);
    };
    addEventListener('pointerdown', close);
    addEventListener('keydown', close);
    return () => {
      removeEventListener('pointerdown', close);
      removeEventListener('keydown', close);
    };
  }, [isOpen]);
  const pickTheme = (next: Theme): void => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <div class="menu">
      <button
        type="button"
        class="avatar"
        aria-expanded={isOpen}
        aria-label="Account menu"
        onClick={() => setIsOpen(!isOpen)}
      >
        {session.account.email.charAt(0).toUpperCase()}
      </button>
      {isOpen && (
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
          <Link to="/app/settings/account" onClick={() => setIsOpen(false)}>
            Settings
          </Link>
          <a href="/docs">API explorer</a>
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

const shortcuts: [keys: string[], action: string][] = [
  [['j', 'k'], 'Next and previous event'],
  [['/'], 'Search and filter'],
  [['↓', '↑'], 'In the search box: suggestions; Tab completes'],
  [['Shift'], 'With a filter button: everything else'],
  [['r'], 'Replay the event, or the selected ones'],
  [['c'], 'Copy the event as a curl command'],
  [['1', '6'], 'Body, headers, query, signature, replays, attempts'],
  [['m'], 'Pin the event, with a name and a note'],
  [['t'], 'Tag the event'],
  [['x'], 'Select the event to compare or replay'],
  [['p'], 'Pause and resume the live list'],
  [['d'], 'One row per delivery, or one per attempt'],
  [['e'], 'Show and hide the attempts of the delivery'],
  [['g'], 'Newest event'],
  [['?'], 'Keyboard shortcuts'],
];

const Shortcuts = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keyboard shortcuts" onClose={onClose}>
    <dl class="shortcuts">
      {shortcuts.map(([keys, action]) => (
        <div key={action}>
          <dt>
            {keys.map((key, index) => (
              <>
                {index > 0 && <span>{key === '6' ? '–' : ' '}</span>}
                <kbd key={key}>{key}</kbd>
              </>
            ))}
          </dt>
          <dd>{action}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
