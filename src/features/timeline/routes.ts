/* GET /api/endpoints/{id}/timeline and /values */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { FilterErrorBody, IdParams, responses } from '../../http/schemas.ts';
import { FieldValues, Timeline, TimelineQuery, ValuesQuery } from './model.ts';
import type { TimelineService } from './service.ts';

export const timelineRoutes = ({ gate, timeline }: { gate: Gate; timeline: TimelineService }) =>
  routesOf(gate, '/api/endpoints', 'Events')
    .get(
      '/:id/timeline',
      ({ principal, params, query, request }) => timeline.timeline(principal, params.id, query, request.signal),
      {
        params: IdParams,
        ...queryOf(TimelineQuery),
        response: responses({ 200: Timeline, 400: FilterErrorBody }, 404),
        ...operation({
          operationId: 'getTimeline',
          permission: 'reading',
          summary: 'How many events an endpoint got over time',
          description:
            'Counts the events that match in at most `buckets` periods of equal length. A filter about columns is answered whole. With `q`, or a filter about contents, a call works for about a quarter of a second, newest first: while `nextCursor` is not null, add up the counts of further calls, which have the same range, buckets and series.',
        }),
      },
    )
    .get(
      '/:id/values',
      ({ principal, params, query, request }) => timeline.values(principal, params.id, query, request.signal),
      {
        params: IdParams,
        ...queryOf(ValuesQuery),
        response: responses({ 200: FieldValues, 400: FilterErrorBody }, 404),
        ...operation({
          operationId: 'listValues',
          permission: 'reading',
          summary: 'The most frequent values of a field',
          description:
            'In the newest 10,000 events that match. An event counts once for each of its tags. A call works for about a quarter of a second.',
        }),
      },
    );
