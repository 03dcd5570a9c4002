/* /api/apps */
import { Elysia } from 'elysia';
import { authenticated } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { operation } from '../../http/operation.ts';
import { IdParams, Ok, responses } from '../../http/schemas.ts';
import { ConnectedAppList } from './model.ts';
import type { AppsService } from './service.ts';

export const appsRoutes = ({ gate, apps }: { gate: Gate; apps: AppsService }) =>
  new Elysia({ prefix: '/api/apps', tags: ['Apps'] })
    .use(authenticated(gate))
    .get('', async ({ principal }) => ({ apps: await apps.list(principal.accountId) }), {
      response: responses({ 200: ConnectedAppList }),
      ...operation({
        operationId: 'listApps',
        permission: 'account',
        summary: 'The account’s connected apps',
        description:
          'The apps that have access to the account. `verifiedHost` says how far an app’s identity is known.',
      }),
    })
    .delete(
      '/:id',
      async ({ principal, params }) => {
        await apps.remove(principal.accountId, params.id);
        return { ok: true };
      },
      {
        params: IdParams,
        response: responses({ 200: Ok }, 404),
        ...operation({
          operationId: 'revokeApp',
          permission: 'apps',
          audit: 'app.disconnected',
          summary: 'Disconnect an app; its tokens end at once',
          description: 'Access tokens and refresh tokens of the app are refused from the next request on.',
        }),
      },
    );
