/* POST /api/setup: the first run. */
import { Elysia } from 'elysia';
import { optionallyAuthenticated } from '../../http/authenticated.ts';
import { clientInfo } from '../../http/client-info.ts';
import type { SessionCookie } from '../../http/cookie.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { responses } from '../../http/schemas.ts';
import type { Account } from '../accounts/model.ts';
import type { SessionsService } from '../sessions/service.ts';
import { SetupDone, SetupRequest } from './model.ts';
import type { SetupService } from './service.ts';

export type SetupRoutesOptions = {
  gate: Gate;
  cookie: SessionCookie;
  setup: SetupService;
  sessions: Pick<SessionsService, 'startFirst'>;
  account: { account: (id: string) => Promise<Account> };
};

export const setupRoutes = ({ gate, cookie, setup, sessions, account }: SetupRoutesOptions) =>
  new Elysia({ prefix: '/api/setup', tags: ['Sessions'] }).use(optionallyAuthenticated(gate)).post(
    '',
    async ({ principal, request, body, set, status }) => {
      const { account: owner, endpoint } = await setup.complete(body.token, body);
      const client = clientInfo(request, principal);
      set.headers['set-cookie'] = cookie.set(await sessions.startFirst(owner, client));
      return status(201, { account: await account.account(owner.id), endpoint });
    },
    {
      ...jsonInput(SetupRequest),
      response: responses({ 201: SetupDone }, 400),
      ...operation({
        operationId: 'setUp',
        permission: 'team',
        audit: 'account.created',
        summary: 'First run: create the owner account and the first endpoint',
        description:
          'Takes the token of the setup link that the server prints at each start while there is no account. Once there is an account, there is no such link, and this is always refused.',
        security: [],
      }),
    },
  );
