/* Sign-in, sign-out, password and sessions of the dashboard. */
import { Elysia } from 'elysia';
import { clientInfo } from '../../http/client-info.ts';
import type { SessionCookie } from '../../http/cookie.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { IdParams, Ok, responses } from '../../http/schemas.ts';
import type { Account } from '../accounts/model.ts';
import { PasswordChange, SessionList, SignedIn, SignedOut, SignIn } from './model.ts';
import type { SessionsService } from './service.ts';

const tags = ['Sessions'];
const open: Record<string, string[]>[] = [];
/** Without credentials it says that there are none: whoever has some is known by them. */
const known: Record<string, string[]>[] = [{}, { bearer: [] }, { session: [] }];

export type SessionsRoutesOptions = {
  gate: Gate;
  cookie: SessionCookie;
  sessions: SessionsService;
  setup: { isRequired: () => Promise<boolean> };
  account: { account: (id: string) => Promise<Account> };
  version: string;
};

export function sessionsRoutes({ gate, cookie, sessions, setup, account, version }: SessionsRoutesOptions) {
  return new Elysia()
    .get(
      '/api/session',
      async ({ request, set, status }) => {
        set.headers['cache-control'] = 'no-store';
        const principal = gate.visitor(request);
        if (!principal) {
          const setupRequired = await setup.isRequired();
          return status(401, { error: 'not signed in', setupRequired });
        }
        const { accountId, role, credential } = principal;
        const sessionId = credential.kind === 'session' ? credential.id : null;
        return { account: await account.account(accountId), role, sessionId, setupRequired: false, version };
      },
      {
        response: { ...responses({ 200: SignedIn }), 401: SignedOut },
        detail: {
          operationId: 'getSession',
          summary: 'Who is signed in',
          description:
            'Without credentials it answers 401 and says whether the installation still needs its first account.',
          tags,
          security: known,
        },
      },
    )
    .post(
      '/api/session',
      async ({ request, body, set, status }) => {
        set.headers['set-cookie'] = cookie.set(await sessions.signIn(body, clientInfo(gate, request)));
        return status(201, { ok: true });
      },
      {
        ...jsonInput(SignIn),
        response: responses({ 201: Ok }, 400),
        detail: {
          operationId: 'signIn',
          summary: 'Sign in; the answer sets the session cookie',
          description: 'For the dashboard. Programs use an API key or an access token instead.',
          tags,
          security: open,
        },
      },
    )
    .delete(
      '/api/session',
      async ({ request, set }) => {
        const { accountId } = gate.principal(request);
        const { sessionId } = clientInfo(gate, request);
        if (sessionId !== undefined) await sessions.signOut(accountId, sessionId);
        set.headers['set-cookie'] = cookie.clear();
        return { ok: true };
      },
      {
        response: responses({ 200: Ok }),
        detail: {
          operationId: 'signOut',
          summary: 'End this session',
          description: 'Removes the cookie. A bearer credential stays valid.',
          tags,
        },
      },
    )
    .post(
      '/api/password',
      async ({ request, body, set }) => {
        const token = await sessions.changePassword(gate.principal(request), body, clientInfo(gate, request));
        if (token !== undefined) set.headers['set-cookie'] = cookie.set(token);
        return { ok: true };
      },
      {
        ...jsonInput(PasswordChange),
        response: responses({ 200: Ok }, 400),
        detail: {
          operationId: 'changePassword',
          summary: 'Change the password; all other sessions end, and on request the access of apps',
          description: 'The current password is asked for again. A caller with a session gets a new one.',
          tags,
        },
      },
    )
    .get(
      '/api/sessions',
      async ({ request }) => ({
        sessions: await sessions.list(gate.principal(request).accountId, clientInfo(gate, request).sessionId),
      }),
      {
        response: responses({ 200: SessionList }),
        detail: {
          operationId: 'listSessions',
          summary: 'Where the account is signed in',
          description: 'Newest use first; `current` marks the one that asks.',
          tags,
        },
      },
    )
    .delete(
      '/api/sessions/:id',
      async ({ request, params }) => {
        await sessions.end(gate.principal(request).accountId, params.id);
        return { ok: true };
      },
      {
        params: IdParams,
        response: responses({ 200: Ok }, 404),
        detail: {
          operationId: 'endSession',
          summary: 'End a session at once',
          description: 'Requests with it are refused from then on.',
          tags,
        },
      },
    );
}
