/* From the address to a page. Signed out, every page but set-up leads to signing in, and from there back to where one wanted to go. */

import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { ApiError, api, apiListeners, isRetryable } from './api.ts';
import { Button, Empty } from './components/controls.tsx';
import { forgetExplorerKey } from './components/explorer-key.ts';
import { navigate, type PageLocation, usePageLocation } from './components/navigation.tsx';
import { NotFoundPage } from './components/not-found.tsx';
import { useRetry } from './components/retry.ts';
import { Shell } from './components/shell.tsx';
import { showError, Toasts } from './components/toasts.tsx';
import { clearEventCache } from './components/use-event.ts';
import { useQuery } from './components/use-query.ts';
import { WorkspaceContext } from './components/workspace.tsx';
import { ComparePage } from './pages/compare.tsx';
import { EndpointSettingsPage } from './pages/endpoint-settings.tsx';
import { EndpointsPage } from './pages/endpoints.tsx';
import { InspectorPage } from './pages/inspector.tsx';
import { JoinPage } from './pages/join.tsx';
import { LoginPage } from './pages/login.tsx';
import { SettingsPage } from './pages/settings.tsx';
import { SetupPage, WaitingForSetupPage } from './pages/setup.tsx';
import { safeReturnTo } from './return-to.ts';
import type { Session } from './wire.ts';

type Who =
  | { state: 'asking' }
  /** `ended`: not by the reader's own wish, while a page was open. */
  | { state: 'out'; ended: boolean }
  | { state: 'no-account' }
  | { state: 'failed'; problem: string; failures: number }
  | { state: 'in'; session: Session };

export function App() {
  const place = usePageLocation();
  const [who, setWho] = useState<Who>({ state: 'asking' });
  const ask = useCallback(async (): Promise<void> => {
    try {
      setWho({ state: 'in', session: await api.session() });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) {
        const problem = error instanceof Error ? error.message : String(error);
        setWho(old => ({
          state: 'failed',
          problem,
          failures: isRetryable(error) ? (old.state === 'failed' ? old.failures : 0) + 1 : 0,
        }));
      } else setWho(error.body['setupRequired'] === true ? { state: 'no-account' } : { state: 'out', ended: false });
    }
  }, []);
  useEffect(() => {
    apiListeners.onSignedOut = () =>
      setWho(old => (old.state === 'out' ? old : { state: 'out', ended: old.state === 'in' }));
    void ask();
  }, [ask]);
  useRetry(who.state === 'failed' ? who.failures : 0, ask);
  return (
    <>
      <Page place={place} who={who} ask={ask} />
      <Toasts />
    </>
  );
}

function Page({ place, who, ask }: { place: PageLocation; who: Who; ask: () => Promise<void> }) {
  const arrive = async (): Promise<void> => {
    await ask();
    navigate(safeReturnTo(place.query.get('return_to'), location.origin), { replace: true });
  };
  const settled = who.state !== 'asking' && who.state !== 'failed';
  const atLogin = place.path === '/login';
  const invitation = place.query.get('invitation');
  const signedInAs = who.state === 'in' ? who.session.account.email : undefined;

  const wanted = place.path === '/' ? '/app' : place.path + (place.query.size ? `?${place.query}` : '');
  useEffect(() => {
    if (!settled || place.path === '/setup') return;
    if (who.state === 'out' && !atLogin) {
      navigate(wanted === '/app' ? '/login' : `/login?return_to=${encodeURIComponent(wanted)}`, { replace: true });
    }
    if (who.state === 'in' && (place.path === '/' || (atLogin && !invitation))) {
      navigate(safeReturnTo(place.query.get('return_to'), location.origin), { replace: true });
    }
  }, [who.state, place.path, atLogin, settled, wanted, invitation]);

  if (who.state === 'failed') {
    return (
      <main class="centred">
        <Empty isPage title="Hooktape does not answer" action={<Button onClick={ask}>Try again</Button>}>
          {who.problem}
        </Empty>
      </main>
    );
  }
  if (who.state === 'asking') return null;
  if (place.path === '/setup') {
    return <SetupPage token={place.query.get('token') ?? ''} isUsed={who.state !== 'no-account'} onDone={ask} />;
  }
  if (who.state === 'no-account') return <WaitingForSetupPage />;
  if (atLogin && invitation) return <JoinPage token={invitation} signedInAs={signedInAs} onDone={arrive} />;
  if (who.state === 'out') return atLogin ? <LoginPage isBack={who.ended} onDone={arrive} /> : null;
  return <SignedIn place={place} session={who.session} ask={ask} />;
}

function SignedIn({ place, session, ask }: { place: PageLocation; session: Session; ask: () => Promise<void> }) {
  const endpoints = useQuery('endpoints', api.endpoints);
  const workspace = useMemo(
    () => ({
      session,
      endpoints: endpoints.value,
      endpointsProblem: endpoints.problem,
      reloadEndpoints: endpoints.reload,
      setEndpoints: endpoints.set,
    }),
    [session, endpoints.value, endpoints.problem, endpoints.reload, endpoints.set],
  );
  useEffect(() => clearEventCache, []);
  const signOut = async (): Promise<void> => {
    try {
      await api.signOut();
    } catch (error) {
      // Nobody shall go away believing that they are signed out.
      if (isRetryable(error))
        return showError(`You are still signed in. ${error instanceof Error ? error.message : ''}`);
    }
    forgetExplorerKey();
    await ask();
  };
  return (
    <WorkspaceContext.Provider value={workspace}>
      <Shell place={place} onSignOut={signOut}>
        <Route place={place} />
      </Shell>
    </WorkspaceContext.Provider>
  );
}

function Route({ place }: { place: PageLocation }) {
  const [, app, room, id, part, item] = place.path.split('/').map(safeDecode);
  if (app === 'app' && (room === undefined || room === '' || (room === 'endpoints' && !id))) return <EndpointsPage />;
  if (app === 'app' && room === 'endpoints' && id) {
    if (part === 'settings') return <EndpointSettingsPage key={id} id={id} />;
    if (part === 'compare') {
      return <ComparePage endpointId={id} left={place.query.get('a') ?? ''} right={place.query.get('b') ?? ''} />;
    }
    if (part === undefined || part === 'events') {
      return <InspectorPage key={id} endpointId={id} eventId={item ?? ''} q={place.query.get('q') ?? ''} />;
    }
  }
  if (app === 'app' && room === 'settings') return <SettingsPage section={id ?? 'account'} />;
  return <NotFoundPage title="Nothing here">This address does not lead to a page of the dashboard.</NotFoundPage>;
}

const safeDecode = (piece: string): string => {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
};
