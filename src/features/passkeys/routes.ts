/* Passkeys of an account, and signing in with one. */
import { Elysia } from 'elysia';
import { optionallyAuthenticated, routesOf } from '../../http/authenticated.ts';
import { clientInfo } from '../../http/client-info.ts';
import type { SessionCookie } from '../../http/cookie.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, IdParams, Ok, RecentSignInError, responses } from '../../http/schemas.ts';
import {
  Passkey,
  PasskeyChange,
  PasskeyCreationOptions,
  PasskeyInput,
  PasskeyList,
  PasskeyRequestOptions,
  PasskeySignIn,
} from './model.ts';
import type { PasskeysService } from './service.ts';

const permission = 'signIn';
const session = [{ session: [] }];
const recent = 'Needs a session with a sign-in within the last 10 minutes.';

export type PasskeysRoutesOptions = { gate: Gate; cookie: SessionCookie; passkeys: PasskeysService };

export const passkeysRoutes = (options: PasskeysRoutesOptions) =>
  new Elysia().use(ownRoutes(options)).use(signInRoutes(options));

const ownRoutes = ({ gate, passkeys }: PasskeysRoutesOptions) =>
  routesOf(gate, '/api/me/passkeys', 'Account')
    .post(
      '/options',
      ({ principal, set }) => {
        set.headers['cache-control'] = 'no-store';
        return passkeys.creationOptions(principal);
      },
      {
        response: { ...responses({ 200: PasskeyCreationOptions }, 409), 403: RecentSignInError },
        ...operation({
          operationId: 'startPasskey',
          permission,
          security: session,
          audit: null,
          summary: 'The options with which a browser makes a passkey',
          description: `${recent} The challenge works once, within 5 minutes. 409 with 20 passkeys, and if the server is used under an IP address, which cannot have passkeys.`,
        }),
      },
    )
    .post('', async ({ principal, body, status }) => status(201, await passkeys.create(principal, body)), {
      ...jsonInput(PasskeyInput),
      response: { ...responses({ 201: Passkey }, 400, 409), 403: RecentSignInError },
      ...operation({
        operationId: 'createPasskey',
        permission,
        security: session,
        audit: 'passkey.created',
        summary: 'Add the passkey that the browser has made',
        description: `${recent} An account can have 20.`,
      }),
    })
    .get('', async ({ principal }) => ({ passkeys: await passkeys.list(principal.accountId) }), {
      response: responses({ 200: PasskeyList }),
      ...operation({
        operationId: 'listPasskeys',
        permission,
        summary: 'The passkeys of the account',
        description: 'Oldest first, at most 20.',
      }),
    })
    .patch('/:id', ({ principal, params, body }) => passkeys.rename(principal, params.id, body.name), {
      ...jsonInput(PasskeyChange),
      params: IdParams,
      response: responses({ 200: Passkey }, 400, 403, 404),
      ...operation({
        operationId: 'renamePasskey',
        permission,
        security: session,
        audit: 'passkey.changed',
        summary: 'Rename a passkey',
        description: 'Needs a session: API keys and apps get 403.',
      }),
    })
    .delete('/:id', ({ principal, params }) => done(passkeys.remove(principal, params.id)), {
      params: IdParams,
      response: { ...responses({ 200: Ok }, 404, 409), 403: RecentSignInError },
      ...operation({
        operationId: 'deletePasskey',
        permission,
        security: session,
        audit: 'passkey.deleted',
        summary: 'Delete a passkey',
        description: `${recent} Sessions that began with it continue. 409 for the last way to sign in.`,
      }),
    });

const signInRoutes = ({ gate, cookie, passkeys }: PasskeysRoutesOptions) =>
  new Elysia({ prefix: '/api/session/passkey', tags: ['Sessions'] })
    .use(optionallyAuthenticated(gate))
    .post(
      '/options',
      ({ set }) => {
        set.headers['cache-control'] = 'no-store';
        return passkeys.requestOptions();
      },
      {
        response: responses({ 200: PasskeyRequestOptions }, 409),
        ...operation({
          operationId: 'startPasskeySignIn',
          permission,
          security: [],
          audit: null,
          summary: 'The options with which a browser signs in with a passkey',
          description: 'The challenge works once, within 5 minutes. 409 if the server is used under an IP address.',
        }),
      },
    )
    .post(
      '',
      async ({ principal, request, body, set, status }) => {
        set.headers['set-cookie'] = cookie.set(await passkeys.signIn(body.response, clientInfo(request, principal)));
        return status(201, { ok: true });
      },
      {
        ...jsonInput(PasskeySignIn),
        response: responses({ 201: Ok }, 400),
        ...operation({
          operationId: 'signInWithPasskey',
          permission,
          security: [],
          audit: { action: 'session.started_passkey', type: 'account' },
          summary: 'Sign in with a passkey; the response sets the session cookie',
          description: 'It needs no one-time code. 401 without a reason if the passkey is not accepted.',
        }),
      },
    );
