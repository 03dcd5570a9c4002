/* /api/apps */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { operation } from '../../http/operation.ts';
import { done, IdParams, Ok, responses } from '../../http/schemas.ts';
import type { SubscriptionsService } from '../mcp-subscriptions/service.ts';
import { ConnectedAppList, SubscriptionParams } from './model.ts';
import type { AppsService } from './service.ts';

type Options = { gate: Gate; apps: AppsService; subscriptions: SubscriptionsService };

export const appsRoutes = ({ gate, apps, subscriptions }: Options) =>
  routesOf(gate, '/api/apps', 'Apps')
    .get(
      '',
      async ({ principal: { accountId } }) => ({
        apps: await apps.list(accountId, await subscriptions.listOf(accountId)),
      }),
      {
        response: responses({ 200: ConnectedAppList }),
        ...operation({
          operationId: 'listApps',
          permission: 'account',
          summary: 'The account’s connected apps',
          description:
            'The apps that have access to the account, with their webhook subscriptions. `verifiedHost` says how far an app’s identity is known.',
        }),
      },
    )
    .delete('/:id', ({ principal, params }) => done(apps.remove(principal.accountId, params.id)), {
      params: IdParams,
      response: responses({ 200: Ok }, 404),
      ...operation({
        operationId: 'revokeApp',
        permission: 'apps',
        audit: 'app.disconnected',
        summary: 'Disconnect an app; its tokens end at once',
        description:
          'Access tokens and refresh tokens of the app are refused from the next request on, and its subscriptions end.',
      }),
    })
    .delete(
      '/:id/subscriptions/:sid',
      ({ principal, params }) => done(subscriptions.remove(principal, params.id, params.sid)),
      {
        params: SubscriptionParams,
        response: responses({ 200: Ok }, 403, 404),
        ...operation({
          operationId: 'endSubscription',
          permission: 'apps',
          audit: 'subscription.ended',
          summary: 'End a subscription of an app',
          description:
            'Events that still wait are not sent. The app’s callback gets a message that the subscription has ended.',
        }),
      },
    );
