/* /api/endpoints (api-contract; one endpoint: interface "API beyond the contract"). */
import { Elysia } from 'elysia';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { answers, IdParams, Ok } from '../../http/schemas.ts';
import { Activity, Endpoint, EndpointChange, EndpointChanged, EndpointList, EndpointName } from './model.ts';
import type { EndpointsService } from './service.ts';

const tags = ['Endpoints'];

export const endpointsRoutes = ({ gate, endpoints }: { gate: Gate; endpoints: EndpointsService }) =>
  new Elysia()
    .get('/api/endpoints', async ({ request }) => ({ endpoints: await endpoints.list(gate.principal(request)) }), {
      response: answers({ 200: EndpointList }),
      detail: {
        operationId: 'listEndpoints',
        summary: 'All endpoints of the account',
        description: 'All of them in one answer, oldest first. Members of a team share them.',
        tags,
      },
    })
    .post(
      '/api/endpoints',
      async ({ request, body, status }) => status(201, await endpoints.create(gate.principal(request), body.name)),
      {
        ...jsonInput(EndpointName),
        response: answers({ 201: Endpoint }, 400, 403),
        detail: {
          operationId: 'createEndpoint',
          summary: 'Create an endpoint',
          description: 'Register its `url` with the sending platform. The plan limits the number of endpoints.',
          tags,
        },
      },
    )
    .get('/api/endpoints/:id', ({ request, params }) => endpoints.endpoint(gate.principal(request), params.id), {
      params: IdParams,
      response: answers({ 200: Endpoint }, 404),
      detail: {
        operationId: 'getEndpoint',
        summary: 'One endpoint',
        description: 'With its counters, as in the list.',
        tags,
      },
    })
    .patch(
      '/api/endpoints/:id',
      ({ request, params, body }) => {
        // Opening the window decides which secrets count, which is a person's to decide; a name is not.
        const principal = body.learnSecretsFor === undefined ? gate.principal(request) : gate.person(request);
        return endpoints.update(principal, params.id, body);
      },
      {
        ...jsonInput(EndpointChange),
        params: IdParams,
        response: answers({ 200: EndpointChanged }, 400, 403, 404),
        detail: {
          operationId: 'renameEndpoint',
          summary: 'Rename an endpoint, or let it learn a secret',
          description:
            'The ingest address does not change. `learnSecretsFor` opens a window in which a secret that a handshake delivers is taken as confirmed; apps may not open it.',
          tags,
        },
      },
    )
    .delete(
      '/api/endpoints/:id',
      async ({ request, params }) => {
        await endpoints.remove(gate.principal(request), params.id);
        return { ok: true };
      },
      {
        params: IdParams,
        response: answers({ 200: Ok }, 404),
        detail: {
          operationId: 'deleteEndpoint',
          summary: 'Delete an endpoint and its stored events',
          description: 'Its address answers 404 and its events are unreadable at once.',
          tags,
        },
      },
    )
    .get(
      '/api/endpoints/:id/activity',
      ({ request, params }) => endpoints.activity(gate.principal(request), params.id),
      {
        params: IdParams,
        response: answers({ 200: Activity }, 404),
        detail: {
          operationId: 'getActivity',
          summary: 'Deliveries of the last 24 hours, by the hour',
          description: '24 buckets of one hour, by the clock of the server; the last one is the running hour.',
          tags,
        },
      },
    );
