/* GET /api/endpoints/{id}/feed */
import { routesOf } from '../../http/authenticated.ts';
import { requestContext } from '../../http/fetch-adapter.ts';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { jsonText } from '../../http/sandboxed.ts';
import { FilterErrorBody, IdParams, responses } from '../../http/schemas.ts';
import { FeedPage, FeedQuery } from './model.ts';
import type { FeedService } from './service.ts';

/** A client that closes its half of the connection still gets a response that is ready by then. */
const graceMs = 1000;

export const feedRoutes = ({ gate, feed }: { gate: Gate; feed: FeedService }) =>
  routesOf(gate, '/api/endpoints', 'Endpoints').get(
    '/:id/feed',
    async ({ principal, request, params, query }) => {
      requestContext(request).endWithSender(graceMs);
      const reader = { principal, recheck: () => gate.recheck(request), signal: request.signal };
      const page = await feed.read(reader, params.id, query);
      return page instanceof ReadableStream ? jsonText(page) : page;
    },
    {
      params: IdParams,
      ...queryOf(FeedQuery),
      response: responses({ 200: FeedPage, 400: FilterErrorBody }, 404),
      ...operation({
        operationId: 'readFeed',
        permission: 'reading',
        summary: 'All events in the order in which they were stored',
        description:
          'Pass `cursor` as `after` to go on: no event is missed and none comes twice, while events arrive, are imported and deleted, and through restarts. Without `after` it begins with the first event that is stored. `wait` holds the answer until an event matches. A filtered read that takes long may come back without events, with `more` and a cursor that has moved on. One request to the rate limit.',
      }),
    },
  );
