/* /api/endpoints/{id}/consumers */
import { routesOf } from '../../http/authenticated.ts';
import { etagOf, preconditionsOf } from '../../http/conditional.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, IdParams, Ok, responses } from '../../http/schemas.ts';
import { Consumer, ConsumerList, ConsumerParams, ConsumerPosition } from './model.ts';
import type { ConsumersService } from './service.ts';

export const consumersRoutes = ({ gate, consumers }: { gate: Gate; consumers: ConsumersService }) =>
  routesOf(gate, '/api/endpoints/:id/consumers', 'Endpoints')
    .get('', ({ principal, params }) => consumers.list(principal, params.id), {
      params: IdParams,
      response: responses({ 200: ConsumerList }, 404),
      ...operation({
        operationId: 'listConsumers',
        permission: 'reading',
        summary: 'The consumers of an endpoint',
        description: 'Named positions in its feed, in the order of their names.',
      }),
    })
    .get(
      '/:name',
      async ({ principal, params, set }) => {
        const { consumer, version } = await consumers.consumer(principal, params.id, params.name);
        set.headers['etag'] = etagOf(version);
        return consumer;
      },
      {
        params: ConsumerParams,
        response: responses({ 200: Consumer }, 404),
        ...operation({
          operationId: 'getConsumer',
          permission: 'reading',
          summary: 'One consumer',
          description: 'The ETag stands for its position, not for `behind`.',
        }),
      },
    )
    .put(
      '/:name',
      async ({ principal, params, body, request, set }) => {
        const given = { name: params.name, ...body, ...preconditionsOf(request) };
        const { consumer, version } = await consumers.put(principal, params.id, given);
        set.headers['etag'] = etagOf(version);
        return consumer;
      },
      {
        ...jsonInput(ConsumerPosition),
        params: ConsumerParams,
        response: responses({ 200: Consumer }, 400, 403, 404, 409, 412),
        ...operation({
          operationId: 'putConsumer',
          permission: 'consumers',
          audit: null,
          summary: 'Create a consumer, or move it',
          description:
            'A position goes back only with `rewind`, else the answer is 409. With `If-Match` it is changed only if nobody else has changed it since; with `If-None-Match: *` it is only created. An endpoint has at most 50 consumers.',
        }),
      },
    )
    .delete(
      '/:name',
      ({ principal, params, request }) =>
        done(consumers.remove(principal, params.id, { name: params.name, ...preconditionsOf(request) })),
      {
        params: ConsumerParams,
        response: responses({ 200: Ok }, 400, 404, 412),
        ...operation({
          operationId: 'deleteConsumer',
          permission: 'consumers',
          audit: null,
          summary: 'Remove a consumer',
          description: 'The events stay as they are. With `If-Match`, only if nobody else has moved it since.',
        }),
      },
    );
