/* /api/endpoints/{id}/listeners */
import { routesOf } from '../../http/authenticated.ts';
import { requestContext } from '../../http/fetch-adapter.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { jsonText } from '../../http/sandboxed.ts';
import { IdParams, responses } from '../../http/schemas.ts';
import { ListenerCall, ListenerList, ListenerParams, ListenerReplays } from './model.ts';
import type { ListenersService } from './service.ts';

export const listenersRoutes = ({ gate, listeners }: { gate: Gate; listeners: ListenersService }) =>
  routesOf(gate, '/api/endpoints/:id/listeners', 'Endpoints')
    .get('', ({ principal, params }) => listeners.list(principal, params.id), {
      params: IdParams,
      response: responses({ 200: ListenerList }, 404),
      ...operation({
        operationId: 'listListeners',
        permission: 'listeners',
        summary: 'The listeners that are connected',
        description:
          'Programs such as `hooktape listen`, to which events can be sent with `POST /api/events/{id}/replay` `{ "listener": NAME }`. For a person or an API key, never an app.',
      }),
    })
    .post(
      '/:name',
      async ({ principal, request, params, body }) => {
        if (body.wait) requestContext(request).endWithSender(0);
        const caller = { principal, recheck: () => gate.recheck(request), signal: request.signal };
        return jsonText(await listeners.call(caller, params, body));
      },
      {
        ...jsonInput(ListenerCall),
        params: ListenerParams,
        response: responses({ 200: ListenerReplays }, 400, 403, 404),
        ...operation({
          operationId: 'callAsListener',
          permission: 'listeners',
          audit: null,
          summary: 'Take replays as a listener, and give their answers',
          description:
            'For `hooktape listen`: called again and again, it makes a program a listener of the endpoint. It waits up to `wait` seconds for a replay that is sent to this name, and takes the answers to earlier ones. Ten seconds after its last call, or at once when it closes the connection of a waiting call, the listener is gone. One request to the rate limit, however long it waits. For a person or an API key, never an app or a read-only key.',
        }),
      },
    );
