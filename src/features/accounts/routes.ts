/* GET /api/me (api-contract). */
import { Elysia } from 'elysia';
import type { Gate } from '../../http/gate.ts';
import { responses } from '../../http/schemas.ts';
import { Account } from './model.ts';
import type { AccountService } from './service.ts';

export const accountRoutes = ({ gate, account }: { gate: Gate; account: Pick<AccountService, 'account'> }) =>
  new Elysia().get('/api/me', ({ request }) => account.account(gate.principal(request).accountId), {
    response: responses({ 200: Account }),
    detail: {
      operationId: 'getMe',
      summary: 'The account that the credentials belong to',
      description: 'Tells a program whose credentials it holds, and which plan applies.',
      tags: ['Account'],
    },
  });
