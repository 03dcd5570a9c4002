/* /api/endpoints/{id}/alerts */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, FilterErrorBody, IdParams, Ok, responses } from '../../http/schemas.ts';
import { Alert, AlertChange, AlertInput, AlertList, AlertParams, AlertTest } from './model.ts';
import type { AlertsService } from './service.ts';

export const alertsRoutes = ({ gate, alerts }: { gate: Gate; alerts: AlertsService }) =>
  routesOf(gate, '/api/endpoints', 'Alerts')
    .get('/:id/alerts', ({ principal, params }) => alerts.list(principal, params.id), {
      params: IdParams,
      response: responses({ 200: AlertList }, 403, 404),
      ...operation({
        operationId: 'listAlerts',
        permission: 'alerts',
        summary: 'The endpoint’s alerts, oldest first',
        description:
          'The whole team shares them. To a read-only key, `channel.url` is only the server, with `[set]` as its path.',
      }),
    })
    .post(
      '/:id/alerts',
      async ({ principal, params, body, status }) => status(201, await alerts.create(principal, params.id, body)),
      {
        ...jsonInput(AlertInput, { nullIsAbsent: true }),
        params: IdParams,
        response: responses({ 201: Alert, 400: FilterErrorBody }, 403, 404),
        ...operation({
          operationId: 'createAlert',
          permission: 'alerts',
          audit: 'alert.created',
          summary: 'Create an alert; not for apps',
          description:
            'Only events from now on count. It fires once when its condition begins, and is resolved once when the condition ends; kinds that only report what is new, such as `new_type`, are never resolved. At most one notification a minute. The secret of a webhook stands only in this answer. An endpoint can have 20 alerts.',
        }),
      },
    )
    .patch('/:id/alerts/:aid', ({ principal, params, body }) => alerts.change(principal, params.id, params.aid, body), {
      ...jsonInput(AlertChange),
      params: AlertParams,
      response: responses({ 200: Alert, 400: FilterErrorBody }, 403, 404),
      ...operation({
        operationId: 'changeAlert',
        permission: 'alerts',
        audit: 'alert.changed',
        summary: 'Change, enable or disable an alert; not for apps',
        description:
          'A new condition, or `enabled`, starts it anew, without a notification. `channel` is replaced as a whole; without `secret`, one of the same type keeps its secret, but a token of ntfy only for the same server.',
      }),
    })
    .delete('/:id/alerts/:aid', ({ principal, params }) => done(alerts.remove(principal, params.id, params.aid)), {
      params: AlertParams,
      response: responses({ 200: Ok }, 403, 404),
      ...operation({
        operationId: 'deleteAlert',
        permission: 'alerts',
        audit: 'alert.deleted',
        summary: 'Delete an alert; not for apps',
        description: 'Notifications that wait to be sent again are dropped.',
      }),
    })
    .post('/:id/alerts/:aid/test', ({ principal, params }) => alerts.test(principal, params.id, params.aid), {
      params: AlertParams,
      response: responses({ 200: AlertTest }, 403, 404),
      ...operation({
        operationId: 'testAlert',
        permission: 'alerts',
        audit: 'alert.tested',
        summary: 'Send a test notification; not for apps',
        description:
          'It is sent at once, and once. That the channel refuses it is no error of this operation: see `ok`.',
      }),
    });
