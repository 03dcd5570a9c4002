/* /api/endpoints */
import { Elysia } from 'elysia';
import { requireUser } from '../../core/access/permissions.ts';
import { routesOf } from '../../http/authenticated.ts';
import { unlessUnchanged } from '../../http/conditional.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput, queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, IdParams, Ok, responses } from '../../http/schemas.ts';
import {
  Activity,
  Endpoint,
  EndpointChange,
  EndpointChanged,
  EndpointList,
  EndpointName,
  EndpointRemoval,
  PreviousUrlParams,
  Rotation,
} from './model.ts';
import type { EndpointsService } from './service.ts';

type EndpointsRoutesOptions = { gate: Gate; endpoints: EndpointsService };

export const endpointsRoutes = (options: EndpointsRoutesOptions) =>
  new Elysia().use(endpointRoutes(options)).use(urlRoutes(options));

const endpointRoutes = ({ gate, endpoints }: EndpointsRoutesOptions) =>
  routesOf(gate, '/api/endpoints', 'Endpoints')
    .get(
      '',
      async ({ principal, request, set }) =>
        unlessUnchanged({ request, set }, await endpoints.listVersion(principal), async () => {
          const { endpoints: list, until } = await endpoints.list(principal);
          return { answer: { endpoints: list }, until };
        }),
      {
        response: responses({ 200: EndpointList }),
        ...operation({
          operationId: 'listEndpoints',
          permission: 'reading',
          summary: 'All endpoints of the team',
          description:
            'All endpoints in one response, oldest first. The members of a team share them. `If-None-Match` with its ETag: 304 while nothing has changed.',
        }),
      },
    )
    .post('', async ({ principal, body, status }) => status(201, await endpoints.create(principal, body.name)), {
      ...jsonInput(EndpointName),
      response: responses({ 201: Endpoint }, 400, 403),
      ...operation({
        operationId: 'createEndpoint',
        permission: 'endpoints',
        audit: 'endpoint.created',
        summary: 'Create an endpoint',
        description: 'Register its `url` with the sending platform. The plan limits the number of endpoints.',
      }),
    })
    .get('/:id', ({ principal, params }) => endpoints.endpoint(principal, params.id), {
      params: IdParams,
      response: responses({ 200: Endpoint }, 404),
      ...operation({
        operationId: 'getEndpoint',
        permission: 'reading',
        summary: 'One endpoint',
        description: 'With its counters, as in the list.',
      }),
    })
    .patch(
      '/:id',
      ({ principal, params, body }) => {
        // Only a user may decide which secrets are trusted, when events go, whether they come and from whom. Apps may rename an endpoint.
        const { name: _, ...settings } = body;
        if (Object.values(settings).some(given => given !== undefined)) requireUser(principal);
        return endpoints.update(principal, params.id, body);
      },
      {
        ...jsonInput(EndpointChange),
        params: IdParams,
        response: responses({ 200: EndpointChanged }, 400, 403, 404),
        ...operation({
          operationId: 'renameEndpoint',
          permission: 'endpoints',
          audit: 'endpoint.changed',
          summary: 'Rename an endpoint, set its retention, guard or pause it, or let it learn a secret',
          description:
            'Its URL does not change. `learnSecretsFor` opens a window in which a secret that a handshake delivers is confirmed at once. `retention` is how long its events are kept. `guard` is the conditions under which it accepts a delivery: all of its conditions must hold, and they are checked in the order network (403), method (405), credential (401). With `paused`, deliveries are answered 503 with `Retry-After` and not stored, handshakes included. Apps may only rename.',
        }),
      },
    )
    .delete(
      '/:id',
      ({ principal, params, query }) => {
        const withPinned = query.pinned === 'true';
        // What a user pinned, only a user may delete.
        if (withPinned) requireUser(principal);
        return done(endpoints.remove(principal, params.id, { withPinned }));
      },
      {
        params: IdParams,
        ...queryOf(EndpointRemoval),
        response: responses({ 200: Ok }, 400, 403, 404, 409),
        ...operation({
          operationId: 'deleteEndpoint',
          permission: 'endpoints',
          audit: 'endpoint.deleted',
          summary: 'Delete an endpoint and its stored events',
          description:
            'From then on its URL answers 404, and its events cannot be read. One with pinned events is deleted only with `pinned=true`, which apps may not say.',
        }),
      },
    )
    .get('/:id/activity', ({ principal, params }) => endpoints.activity(principal, params.id), {
      params: IdParams,
      response: responses({ 200: Activity }, 404),
      ...operation({
        operationId: 'getActivity',
        permission: 'reading',
        summary: 'Deliveries of the last 24 hours, by the hour',
        description: '24 buckets of one hour by the server’s clock; the last one is the current hour.',
      }),
    });

const urlRoutes = ({ gate, endpoints }: EndpointsRoutesOptions) =>
  routesOf(gate, '/api/endpoints', 'Endpoints')
    .post('/:id/rotate', ({ principal, params, body }) => endpoints.rotate(principal, params.id, body.overlap), {
      ...jsonInput(Rotation),
      params: IdParams,
      response: responses({ 200: Endpoint }, 400, 403, 404),
      ...operation({
        operationId: 'rotateEndpointUrl',
        permission: 'urls',
        audit: 'endpoint.url_rotated',
        summary: 'Give an endpoint a new URL',
        description:
          'The answer has the new `url`. The old one goes on taking deliveries for `overlap`, so that nothing is lost while you change it at the sender, and answers 404 afterwards. At most 5 previous URLs take deliveries at a time.',
      }),
    })
    .delete(
      '/:id/previous-urls/:urlId',
      ({ principal, params }) => done(endpoints.endOverlap(principal, params.id, params.urlId)),
      {
        params: PreviousUrlParams,
        response: responses({ 200: Ok }, 403, 404),
        ...operation({
          operationId: 'endPreviousUrl',
          permission: 'urls',
          audit: { action: 'endpoint.previous_url_ended', param: 'id' },
          summary: 'End the overlap of a replaced URL now',
          description: 'From then on the old URL answers 404.',
        }),
      },
    );
