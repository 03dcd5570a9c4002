/* GET /api/platforms, POST /api/endpoints/{id}/test-events */
import { routesOf } from '../../http/authenticated.ts';
import { clientInfo } from '../../http/client-info.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { IdParams, responses } from '../../http/schemas.ts';
import { PlatformList, TestEvent, TestEventInput } from './model.ts';
import type { TestEventsService } from './service.ts';

export const testEventsRoutes = ({ gate, testEvents }: { gate: Gate; testEvents: TestEventsService }) =>
  routesOf(gate, '/api', 'Test events')
    .get('/platforms', async () => ({ platforms: await testEvents.platforms() }), {
      response: responses({ 200: PlatformList }),
      ...operation({
        operationId: 'listPlatforms',
        permission: 'testEvents',
        summary: 'The platforms that Hooktape knows',
        description:
          'Where to enter the URL of an endpoint at each, where its signing secret is found, and which samples can be sent as test events. Not for connected apps.',
      }),
    })
    .post(
      '/endpoints/:id/test-events',
      async ({ principal, params, body, request, status }) =>
        status(201, await testEvents.send(principal, params.id, body, clientInfo(request, principal).sourceIp)),
      {
        ...jsonInput(TestEventInput),
        params: IdParams,
        response: responses({ 201: TestEvent }, 400, 403, 404, 409),
        ...operation({
          operationId: 'sendTestEvent',
          permission: 'testEvents',
          audit: { action: 'event.test_sent', type: 'endpoint' },
          summary: 'Store a sample delivery of a platform',
          description:
            'The sample has fresh ids and times, is signed the platform’s way, and is stored and answered like any delivery, with the additional header `x-hooktape-test: 1`: rules for custom answers count it, and the answer that they choose is stored as `answered`. The guard lets it pass. Registered secrets never sign it: it is signed with `secret`, or with a test secret of the endpoint and platform, which is made for it and listed among the endpoint’s secrets with `test`. Test secrets do not count towards the 20 secrets of an endpoint. For a person or an API key, never an app.',
        }),
      },
    );
