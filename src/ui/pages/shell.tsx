/* The layout of every signed-in page: brand, endpoint switcher, navigation, account menu, shortcuts, and the rate-limit notice. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Shortcuts } from '../inspector/palette/help.tsx';
import { Palette } from '../inspector/palette/palette.tsx';
import { apiListeners } from '../kit/api.ts';
import { openDialog } from '../kit/dialogs.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { Icon, Mark } from '../kit/icons.tsx';
import { keyLabel } from '../kit/key-label.ts';
import { Link, navigate, type PageLocation, pageOf } from '../kit/navigation.tsx';
import { useWorkspace } from '../kit/workspace.tsx';
import { AccountMenu } from './account-menu.tsx';
import { EndpointBar } from './endpoint-bar.tsx';
import { endpointIn } from './endpoint-tabs.ts';
import { usePageActions } from './page-actions.ts';
import { TunnelLine } from './tunnel-line.tsx';

type ShellProps = { url: PageLocation; onSignOut: () => void; children: ComponentChildren };

export function Shell({ url, onSignOut, children }: ShellProps) {
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const [waitSeconds, setWaitSeconds] = useState(0);
  useEffect(() => {
    apiListeners.onRateLimited = setWaitSeconds;
  }, []);
  const onPalette = (): void => setIsPaletteOpen(true);
  const onHelp = (): void => void openDialog(close => <Shortcuts onClose={close} />);
  usePageActions({ path: url.path, onPalette, onHelp, onSignOut });
  useFocusOfNewPage(url.path);
  return (
    <div class="shell pane" onScrollCapture={scrollBarsAway}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="topbar line rigid">
        <Link to="/app" class="brand line" aria-label="Hooktape, all endpoints">
          <Mark />
          <span>Hooktape</span>
        </Link>
        <EndpointSwitcher url={url} />
        <span class="grow" />
        <button
          type="button"
          class="palette-button line rigid"
          title="Commands, endpoints and events"
          onClick={onPalette}
        >
          <Icon name="search" />
          <span>Go to…</span>
          <kbd>{keyLabel('Mod+k')}</kbd>
        </button>
        <nav class="line tight rigid" aria-label="Main">
          <Link
            to="/app/settings/account"
            class="nav-link line"
            aria-current={url.path.startsWith('/app/settings') ? 'page' : undefined}
          >
            <Icon name="gear" />
            <span>Settings</span>
          </Link>
          <a href="/docs" class="nav-link line">
            <Icon name="external" />
            <span>API</span>
          </a>
        </nav>
        <AccountMenu onSignOut={onSignOut} onHelp={onHelp} />
      </header>
      {waitSeconds > 0 && (
        <div class="bar-line rigid warn" role="status">
          Rate limited. Retrying in {waitSeconds} s.
        </div>
      )}
      <TunnelLine />
      <EndpointBar url={url} />
      <div id="main" class="content pane" tabIndex={-1}>
        {children}
      </div>
      {isPaletteOpen && <Palette onClose={() => setIsPaletteOpen(false)} />}
    </div>
  );
}

/** On a low window, what scrolls outside a part scrolls to its end before the part, so that the part fills the window. */
function scrollBarsAway({ target }: Event): void {
  if (!(target instanceof Element) || target.scrollTop === 0 || !matchMedia('(max-height: 520px)').matches) return;
  for (const outer of [target.closest('.event'), target.closest('.shell')])
    if (outer && outer !== target) outer.scrollTop = outer.scrollHeight;
}

/** A page that is opened by a key takes the focus if nothing on it has it, so that Tab begins there and not at the top. */
function useFocusOfNewPage(path: string): void {
  const page = pageOf(path);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current && document.activeElement === document.body) document.getElementById('main')?.focus();
    isFirst.current = false;
  }, [page]);
}

/** More endpoints are found on the home page and in the palette, which have a search. */
const maxOffered = 200;

function EndpointSwitcher({ url }: { url: PageLocation }) {
  const { endpoints } = useWorkspace();
  const current = endpointIn(url.path);
  if (!endpoints || endpoints.length === 0) return null;
  const offered = endpoints.length > maxOffered ? endpoints.filter(({ id }) => id === current) : endpoints;
  return (
    <div class="switcher anchor line tight faint">
      <span aria-hidden="true">/</span>
      <select
        aria-label="Endpoint"
        value={endpoints.some(endpoint => endpoint.id === current) ? current : ''}
        onChange={event => navigate(event.currentTarget.value ? `/app/endpoints/${event.currentTarget.value}` : '/app')}
      >
        <option value="">All endpoints</option>
        {offered.map(endpoint => (
          <option key={endpoint.id} value={endpoint.id}>
            {visibleName(endpoint.name)}
          </option>
        ))}
      </select>
      <Icon name="chevron" />
    </div>
  );
}
