/* GET /api/me. */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { operation } from '../../http/operation.ts';
import { responses } from '../../http/schemas.ts';
import { Me } from './model.ts';
import type { AccountService } from './service.ts';

export const accountRoutes = ({ gate, account }: { gate: Gate; account: Pick<AccountService, 'me'> }) =>
  routesOf(gate, '/api/me', 'Account').get('', ({ principal }) => account.me(principal.accountId), {
    response: responses({ 200: Me }),
    ...operation({
      operationId: 'getMe',
      permission: 'account',
      summary: 'The account that the credentials belong to',
      description:
        'Tells a program which account its credentials belong to, which plan applies, and how the person can sign in.',
    }),
  });
