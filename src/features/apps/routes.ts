/* GET and DELETE /api/apps (interface "API beyond the contract"). */
import { Elysia } from 'elysia';
import type { Gate } from '../../http/gate.ts';
import { IdParams, Ok, responses } from '../../http/schemas.ts';
import { ConnectedAppList } from './model.ts';
import type { AppsService } from './service.ts';

export const appsRoutes = ({ gate, apps }: { gate: Gate; apps: AppsService }) =>
  new Elysia()
    .get('/api/apps', async ({ request }) => ({ apps: await apps.list(gate.principal(request).accountId) }), {
      response: responses({ 200: ConnectedAppList }),
      detail: {
        operationId: 'listApps',
        summary: 'The account’s connected apps',
        description: 'Apps that hold access tokens of the account. `verifiedHost` says what is known about an app.',
        tags: ['Apps'],
      },
    })
    .delete(
      '/api/apps/:id',
      async ({ request, params }) => {
        await apps.remove(gate.principal(request).accountId, params.id);
        return { ok: true };
      },
      {
        params: IdParams,
        response: responses({ 200: Ok }, 404),
        detail: {
          operationId: 'revokeApp',
          summary: 'Disconnect an app; its tokens stop at once',
          description: 'Access tokens and refresh tokens of the app are refused from the next request on.',
          tags: ['Apps'],
        },
      },
    );
