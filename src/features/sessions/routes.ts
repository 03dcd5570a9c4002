/* Sign-in, sign-out, password and sessions of the dashboard. */
import { Elysia } from 'elysia';
import { optionallyAuthenticated, routesOf } from '../../http/authenticated.ts';
import { clientInfo } from '../../http/client-info.ts';
import type { SessionCookie } from '../../http/cookie.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, IdParams, Ok, RecentSignInError, responses } from '../../http/schemas.ts';
import type { Account } from '../accounts/model.ts';
import {
  PasswordChange,
  SessionEnded,
  SessionList,
  SignedIn,
  SignedOut,
  SignIn,
  SignInError,
  type Tunnel,
  type Ways,
} from './model.ts';
import type { SessionsService } from './service.ts';

export type SessionsRoutesOptions = {
  gate: Gate;
  cookie: SessionCookie;
  sessions: SessionsService;
  /** Starts a session for the person whom a trusted header names. @returns its token */
  signInByHeader: (request: Request) => Promise<string | undefined>;
  /** The ways to sign in of this installation. */
  ways: Ways;
  setup: { isRequired: () => Promise<boolean> };
  account: { account: (id: string) => Promise<Account> };
  /** The OpenID Connect provider, if there is one. */
  oidc: { service: { endSessionUrl: (idToken: Buffer) => Promise<string | null> } } | undefined;
  version: string;
  updates: { newest: () => string | undefined };
  /** The program of HOOKTAPE_TUNNEL, if there is one. */
  tunnel: { status: () => Tunnel } | undefined;
};

export const sessionsRoutes = (options: SessionsRoutesOptions) =>
  new Elysia().use(signInRoutes(options)).use(signedInRoutes(options));

const signInRoutes = ({
  gate,
  cookie,
  sessions,
  signInByHeader,
  ways,
  setup,
  account,
  version,
  updates,
  tunnel,
}: SessionsRoutesOptions) =>
  new Elysia({ prefix: '/api/session', tags: ['Sessions'] })
    .use(optionallyAuthenticated(gate))
    .get(
      '',
      async ({ principal, request, set, status }) => {
        set.headers['cache-control'] = 'no-store';
        const token = principal ? undefined : await signInByHeader(request);
        if (token !== undefined) set.headers['set-cookie'] = cookie.set(token);
        const session = token === undefined ? undefined : await sessions.authenticate(token);
        const caller = principal ?? (session && { ...session, credential: { kind: 'session', id: session.sessionId } });
        if (!caller) return status(401, { error: 'not signed in', setupRequired: await setup.isRequired(), ways });
        const { accountId, role, credential } = caller;
        const sessionId = credential.kind === 'session' ? credential.id : null;
        const newestVersion = role === 'owner' ? updates.newest() : undefined;
        const signedIn = {
          account: await account.account(accountId),
          role,
          sessionId,
          setupRequired: false,
          version,
          ...(tunnel && { tunnel: tunnel.status() }),
          ways,
        };
        return { ...signedIn, ...(newestVersion !== undefined && { newestVersion }) };
      },
      {
        response: { ...responses({ 200: SignedIn }), 401: SignedOut },
        ...operation({
          operationId: 'getSession',
          permission: 'signIn',
          summary: 'Who is signed in',
          description:
            'Without credentials it answers 401 and says which ways to sign in there are, and whether the installation still needs its first account. With HOOKTAPE_AUTH_HEADER it signs in the person whom the header names.',
          // Credentials are optional: `{}` means without credentials.
          security: [{}, { bearer: [] }, { session: [] }],
        }),
      },
    )
    .post(
      '',
      async ({ principal, request, body, set, status }) => {
        set.headers['set-cookie'] = cookie.set(await sessions.signIn(body, clientInfo(request, principal)));
        return status(201, { ok: true });
      },
      {
        ...jsonInput(SignIn),
        response: { ...responses({ 201: Ok }, 400, 403), 401: SignInError },
        ...operation({
          operationId: 'signIn',
          permission: 'signIn',
          audit: { action: 'session.started', type: 'account' },
          summary: 'Sign in; the response sets the session cookie',
          description:
            'For the dashboard. Programs use an API key or an access token instead. An account with one-time codes also needs a code, which works once. 403 while sign-in with a password is off.',
          security: [],
        }),
      },
    );

const signedInRoutes = ({ gate, cookie, sessions, oidc }: SessionsRoutesOptions) =>
  routesOf(gate, '/api', 'Sessions')
    .delete(
      '/session',
      async ({ principal, request, set }) => {
        const { sessionId } = clientInfo(request, principal);
        const idToken = sessionId === undefined ? undefined : await sessions.signOut(principal.accountId, sessionId);
        set.headers['set-cookie'] = cookie.clear();
        return { ok: true, endSessionUrl: (idToken && (await oidc?.service.endSessionUrl(idToken))) ?? null };
      },
      {
        response: responses({ 200: SessionEnded }),
        ...operation({
          operationId: 'signOut',
          permission: 'signIn',
          audit: { action: 'session.ended', type: 'account' },
          summary: 'End this session',
          description:
            'Removes the cookie. A bearer credential stays valid. `endSessionUrl` is for a session that began with the OpenID Connect provider, if that has a page for signing out.',
        }),
      },
    )
    .post(
      '/password',
      async ({ principal, request, body, set }) => {
        const token = await sessions.changePassword(principal, body, clientInfo(request, principal));
        if (token !== undefined) set.headers['set-cookie'] = cookie.set(token);
        return { ok: true };
      },
      {
        ...jsonInput(PasswordChange),
        response: { ...responses({ 200: Ok }, 400, 409), 403: RecentSignInError },
        ...operation({
          operationId: 'changePassword',
          permission: 'signIn',
          audit: 'account.password_changed',
          summary: 'Change the password; all other sessions end, and on request the access of apps',
          description:
            'Needs the current password. An account without a password sets its first one without `current`, in a session with a sign-in within the last 10 minutes. A caller with a session gets a new one.',
        }),
      },
    )
    .get(
      '/sessions',
      async ({ principal, request }) => ({
        sessions: await sessions.list(principal.accountId, clientInfo(request, principal).sessionId),
      }),
      {
        response: responses({ 200: SessionList }),
        ...operation({
          operationId: 'listSessions',
          permission: 'signIn',
          summary: 'Where the account is signed in',
          description: 'Most recently used first; `current` marks the session of this request.',
        }),
      },
    )
    .delete('/sessions/:id', ({ principal, params }) => done(sessions.end(principal.accountId, params.id)), {
      params: IdParams,
      response: responses({ 200: Ok }, 404),
      ...operation({
        operationId: 'endSession',
        permission: 'signIn',
        audit: 'session.ended',
        summary: 'End a session at once',
        description: 'The next request with it is refused.',
      }),
    });
