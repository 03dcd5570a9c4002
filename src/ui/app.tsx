/* Maps the URL to a page. Signed-out users are sent to the sign-in page, and back to the requested page after signing in. */

import type { VNode } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Endpoint } from '../features/endpoints/model.ts';
import type { SignedIn as Session, Ways } from '../features/sessions/model.ts';
import { safeReturnTo } from '../shared/return-to.ts';
import { clearEventCache } from './inspector/event/use-event.ts';
import { filterOf } from './inspector/filter/filter-url.ts';
import { clearDeliveryCache } from './inspector/list/use-delivery.ts';
import { forgetRecent } from './inspector/palette/recent.ts';
import { forgetRequests } from './inspector/replay/request.ts';
import { clearPickStore } from './inspector/state/inspector-state.ts';
import { ApiError, api, apiListeners, isRetryable } from './kit/api.ts';
import { Button, Empty } from './kit/controls.tsx';
import { DialogHost } from './kit/dialogs.tsx';
import { navigate, type PageLocation, usePageLocation } from './kit/navigation.tsx';
import { onDemand } from './kit/on-demand.tsx';
import { NotFoundPage, WithEndpoint } from './kit/page.tsx';
import { findRoute, type Params } from './kit/routes.ts';
import { messageOf, showError, Toasts } from './kit/toasts.tsx';
import { forgetDrafts } from './kit/use-draft.ts';
import { useQuery, useRetry } from './kit/use-query.ts';
import { WorkspaceContext } from './kit/workspace.tsx';
import { EndpointsPage } from './pages/endpoints.tsx';
import { forgetExplorerKey } from './pages/explorer-key.ts';
import { InspectorPage } from './pages/inspector.tsx';
import { Shell } from './pages/shell.tsx';

const ActivityPage = onDemand(() => import('./pages/activity.tsx').then(page => page.ActivityPage));
const DestinationsPage = onDemand(() => import('./pages/destinations.tsx').then(page => page.DestinationsPage));
const ForwardFormPage = onDemand(() => import('./forwards/forward-form.tsx').then(page => page.ForwardFormPage));
const ForwardPage = onDemand(() => import('./forwards/forward-page.tsx').then(page => page.ForwardPage));
const EndpointSettingsPage = onDemand(() =>
  import('./pages/endpoint-settings.tsx').then(page => page.EndpointSettingsPage),
);
const JobsPage = onDemand(() => import('./jobs/jobs-page.tsx').then(page => page.JobsPage));
const JobPage = onDemand(() => import('./jobs/job-page.tsx').then(page => page.JobPage));
const AlertsPage = onDemand(() => import('./alerts/alerts-page.tsx').then(page => page.AlertsPage));
const SchemasPage = onDemand(() => import('./schemas/schemas-page.tsx').then(page => page.SchemasPage));
const ComparePage = onDemand(() => import('./inspector/compare/compare-page.tsx').then(page => page.ComparePage));
const LoginPage = onDemand(() => import('./pages/login.tsx').then(page => page.LoginPage));
const SetupPage = onDemand(() => import('./pages/setup.tsx').then(page => page.SetupPage));
const WaitingForSetupPage = onDemand(() => import('./pages/setup.tsx').then(page => page.WaitingForSetupPage));
const JoinPage = onDemand(() => import('./pages/join.tsx').then(page => page.JoinPage));
const SettingsPage = onDemand(() => import('./pages/settings.tsx').then(page => page.SettingsPage));
const AnswersPage = onDemand(() => import('./answers/answers-page.tsx').then(page => page.AnswersPage));

type AuthState =
  | { state: 'loading' }
  /** `hasExpired`: the session ended while a page was open, without signing out. */
  | { state: 'signed-out'; hasExpired: boolean }
  | { state: 'setup-required' }
  | { state: 'failed'; problem: string; failures: number }
  | { state: 'signed-in'; session: Session };

export function App() {
  const url = usePageLocation();
  const [auth, setAuth] = useState<AuthState>({ state: 'loading' });
  const [ways, setWays] = useState<Ways>({ password: true, oidc: null, passkeys: false });
  const loadSession = useCallback(async (): Promise<void> => {
    try {
      const session = await api.session();
      setWays(session.ways);
      setAuth({ state: 'signed-in', session });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        // A proxy in front may answer without them.
        setWays(known => (error.body['ways'] as Ways | undefined) ?? known);
        const isSetUp = error.body['setupRequired'] !== true;
        return setAuth(isSetUp ? { state: 'signed-out', hasExpired: false } : { state: 'setup-required' });
      }
      setAuth(old => {
        const earlierFailures = old.state === 'failed' ? old.failures : 0;
        return { state: 'failed', problem: messageOf(error), failures: isRetryable(error) ? earlierFailures + 1 : 0 };
      });
    }
  }, []);
  useEffect(() => {
    apiListeners.onSignedOut = () =>
      setAuth(old =>
        old.state === 'signed-out' ? old : { state: 'signed-out', hasExpired: old.state === 'signed-in' },
      );
    void loadSession();
  }, [loadSession]);
  useRetry(auth.state === 'failed' ? auth.failures : 0, loadSession);
  return (
    <>
      <Page url={url} auth={auth} ways={ways} onReload={loadSession} />
      <Toasts />
    </>
  );
}

type PageProps = { url: PageLocation; auth: AuthState; ways: Ways; onReload: () => Promise<void> };

function Page({ url, auth, ways, onReload }: PageProps) {
  const returnTo = safeReturnTo(url.query.get('return_to'), location.origin);
  const onSignedIn = async (): Promise<void> => {
    await onReload();
    navigate(returnTo, { replace: true });
  };
  const isSettled = auth.state !== 'loading' && auth.state !== 'failed';
  const isLogin = url.path === '/login';
  const invitation = url.query.get('invitation');
  const signedInAs = auth.state === 'signed-in' ? auth.session.account.email : undefined;

  const requested = url.path === '/' ? '/app' : url.path + (url.query.size ? `?${url.query}` : '');
  useEffect(() => {
    if (!isSettled || url.path === '/setup') return;
    if (auth.state === 'signed-out' && !isLogin) {
      navigate(requested === '/app' ? '/login' : `/login?return_to=${encodeURIComponent(requested)}`, {
        replace: true,
      });
    }
    if (auth.state === 'signed-in' && (url.path === '/' || (isLogin && !invitation)))
      navigate(returnTo, { replace: true });
  }, [auth.state, url.path, isLogin, isSettled, requested, invitation]);

  if (auth.state === 'failed') {
    return (
      <main class="centred">
        <Empty
          isPage
          title={auth.failures > 0 ? "Can't reach Hooktape" : 'Something went wrong'}
          action={<Button onClick={onReload}>Try again</Button>}
        >
          {auth.problem}
        </Empty>
      </main>
    );
  }
  if (auth.state === 'loading') return null;
  if (url.path === '/setup') {
    return (
      <SetupPage
        token={url.query.get('token') ?? ''}
        hasPassword={ways.password}
        isUsed={auth.state !== 'setup-required'}
        onDone={onReload}
      />
    );
  }
  if (auth.state === 'setup-required') return <WaitingForSetupPage />;
  if (isLogin && invitation) {
    return <JoinPage token={invitation} hasPassword={ways.password} signedInAs={signedInAs} onDone={onSignedIn} />;
  }
  if (auth.state === 'signed-out') {
    if (!isLogin) return null;
    return <LoginPage ways={ways} hasExpired={auth.hasExpired} returnTo={returnTo} onDone={onSignedIn} />;
  }
  return <SignedIn url={url} session={auth.session} onReload={onReload} />;
}

const isHome = (path: string): boolean => /^\/(app(\/|\/endpoints\/?)?)?$/.test(path);

/** All endpoints. The home page does not need them: they are loaded when it is left, or when the palette opens. */
function useEndpoints(isOnHome: boolean) {
  const isNeeded = useRef(false);
  // Of another key: what was loaded before Home may lack endpoints that were created since.
  const endpoints = useQuery(isOnHome ? 'home' : 'endpoints', () =>
    !isOnHome || isNeeded.current ? api.endpoints() : new Promise<Endpoint[]>(() => {}),
  );
  const reloadEndpoints = useCallback((): void => {
    isNeeded.current = true;
    endpoints.reload();
  }, [endpoints.reload]);
  useEffect(() => {
    isNeeded.current = false;
  }, [isOnHome]);
  return { endpoints, reloadEndpoints };
}

function SignedIn({ url, session, onReload }: { url: PageLocation; session: Session; onReload: () => Promise<void> }) {
  const { endpoints, reloadEndpoints } = useEndpoints(isHome(url.path));
  const workspace = useMemo(
    () => ({
      session,
      endpoints: endpoints.value,
      endpointsProblem: endpoints.problem,
      reloadEndpoints,
      setEndpoints: endpoints.set,
    }),
    [session, endpoints.value, endpoints.problem, reloadEndpoints, endpoints.set],
  );
  useEffect(
    () => () => {
      clearEventCache();
      forgetRequests();
      clearDeliveryCache();
    },
    [],
  );
  useEffect(() => {
    apiListeners.onSignInNeeded = () =>
      import('./sign-in/sign-in-again.tsx').then(({ signInAgain }) => signInAgain(session));
  }, [session]);
  const signOut = async (): Promise<void> => {
    let endSessionUrl: string | null = null;
    try {
      ({ endSessionUrl } = await api.signOut());
    } catch (error) {
      // Signing out failed: do not let the user leave believing it worked.
      if (isRetryable(error))
        return showError(`You're still signed in. ${error instanceof Error ? error.message : ''}`);
    }
    forgetExplorerKey();
    clearPickStore();
    forgetDrafts();
    forgetRecent();
    // Signs out of the provider, too.
    if (endSessionUrl !== null) return location.assign(endSessionUrl);
    await onReload();
  };
  return (
    <WorkspaceContext.Provider value={workspace}>
      <Shell url={url} onSignOut={signOut}>
        <Route url={url} />
      </Shell>
      <DialogHost />
    </WorkspaceContext.Provider>
  );
}

function Route({ url }: { url: PageLocation }) {
  const found = findRoute(routes, url.path);
  return (
    found?.route(found.params, url.query) ?? (
      <NotFoundPage title="Page not found">There's no page at this URL.</NotFoundPage>
    )
  );
}

type Render = (params: Params, query: URLSearchParams) => VNode;

const inspector: Render = ({ id = '', event = '' }, query) => (
  <InspectorPage key={id} endpointId={id} eventId={event} where={filterOf(query)} />
);
const allEndpoints: Render = () => <EndpointsPage />;

const routes: Readonly<Record<string, Render>> = {
  '/': allEndpoints,
  '/app': allEndpoints,
  '/app/endpoints': allEndpoints,
  '/app/endpoints/:id': inspector,
  '/app/endpoints/:id/events/:event?': inspector,
  '/app/endpoints/:id/compare': ({ id = '' }, query) => (
    <ComparePage endpointId={id} left={query.get('a') ?? ''} right={query.get('b') ?? ''} />
  ),
  '/app/endpoints/:id/activity': ({ id = '' }, query) => <ActivityPage key={id} endpointId={id} query={query} />,
  '/app/endpoints/:id/destinations': ({ id = '' }) => <DestinationsPage key={id} endpointId={id} />,
  '/app/endpoints/:id/destinations/new': ({ id = '' }) => inEndpoint(id, <ForwardFormPage key={id} endpointId={id} />),
  '/app/endpoints/:id/destinations/:forward': ({ id = '', forward = '' }, query) =>
    inEndpoint(id, <ForwardPage key={forward} endpointId={id} id={forward} state={query.get('state')} />),
  '/app/endpoints/:id/destinations/:forward/edit': ({ id = '', forward = '' }) =>
    inEndpoint(id, <ForwardFormPage key={forward} endpointId={id} id={forward} />),
  '/app/endpoints/:id/jobs/:job': ({ id = '', job = '' }, query) => (
    <JobPage key={job} endpointId={id} id={job} query={query} />
  ),
  '/app/endpoints/:id/answers': ({ id = '' }) => <AnswersPage key={id} endpointId={id} />,
  '/app/endpoints/:id/alerts': ({ id = '' }, query) => <AlertsPage key={id} endpointId={id} kind={query.get('new')} />,
  '/app/endpoints/:id/schemas': ({ id = '' }, query) => {
    const chosen = { type: query.get('type'), platform: query.get('platform') };
    return <SchemasPage key={id} endpointId={id} chosen={chosen} as={query.get('as') ?? ''} />;
  },
  '/app/endpoints/:id/settings/:section?': ({ id = '', section = '' }) => (
    <EndpointSettingsPage key={id} id={id} section={section} />
  ),
  '/app/settings/:section?': ({ section }) => <SettingsPage section={section || 'account'} />,

  // Earlier addresses, and jobs whose endpoint is not known yet.
  '/app/endpoints/:id/forwards/:forward?/:edit?': ({ id, forward, edit }, query) => (
    <Redirect to={`/app/endpoints/${[id, 'destinations', forward, edit].filter(Boolean).join('/')}`} query={query} />
  ),
  '/app/jobs': (_, query) => {
    const { endpoint, ...others } = Object.fromEntries(query);
    if (!endpoint) return <JobsPage />;
    return <Redirect to={`/app/endpoints/${endpoint}/destinations`} query={new URLSearchParams(others)} />;
  },
  '/app/jobs/:job': ({ job = '' }, query) => <JobPage key={job} endpointId="" id={job} query={query} />,
};

/** For pages that need nothing of the endpoint: they exist only if it does. */
const inEndpoint = (id: string, page: VNode): VNode => <WithEndpoint id={id}>{() => page}</WithEndpoint>;

/** Takes the place of the opened address in the browser's history. */
function Redirect({ to, query }: { to: string; query: URLSearchParams }) {
  const target = to + (query.size > 0 ? `?${query}` : '');
  useEffect(() => navigate(target, { replace: true }), [target]);
  return null;
}
