/* /api/deliveries, and the retries of an endpoint's senders */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { IdParams, responses } from '../../http/schemas.ts';
import { Delivery, DeliveryParams, DeliveryQuery, RetrySchedule } from './model.ts';
import type { DeliveriesService } from './service.ts';

export const deliveriesRoutes = ({ gate, deliveries }: { gate: Gate; deliveries: DeliveriesService }) =>
  routesOf(gate, '/api', 'Events')
    .get(
      '/deliveries/:key',
      ({ principal, params, query, request }) =>
        deliveries.delivery(principal, query.endpointId, params.key, request.signal),
      {
        params: DeliveryParams,
        ...queryOf(DeliveryQuery),
        response: responses({ 200: Delivery }, 400, 404),
        ...operation({
          operationId: 'getDelivery',
          permission: 'reading',
          summary: 'One delivery with its attempts',
          description:
            'The attempts that are stored and visible, each an event with its own verdict, the time since the one before, and what the sender got. `key` is `delivery.key` of any of its events.',
        }),
      },
    )
    .get('/endpoints/:id/retries', ({ principal, params }) => deliveries.retries(principal, params.id), {
      params: IdParams,
      response: responses({ 200: RetrySchedule }, 404),
      ...operation({
        operationId: 'getRetrySchedule',
        permission: 'reading',
        summary: 'When senders retry',
        description:
          'The retries that were observed, by platform: of the newest 5,000 events, the newest 200 deliveries with several attempts.',
      }),
    });
