/* /api/endpoints/{id}: saved filters, trying a filter out, and counting and deleting the events that match a filter */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput, queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, FilterErrorBody, IdParams, Ok, responses } from '../../http/schemas.ts';
import type { CountingService } from './counting.ts';
import type { DeletionService } from './deletion.ts';
import {
  Deletion,
  DeletionRequest,
  EventCount,
  EventCountQuery,
  FilterInput,
  FilterParams,
  FilterTest,
  FilterTestResult,
  SavedFilter,
  SavedFilterList,
} from './model.ts';
import type { FiltersService } from './service.ts';

type Services = { gate: Gate; filters: FiltersService; counting: CountingService; deletion: DeletionService };

export const filtersRoutes = ({ gate, filters, counting, deletion }: Services) =>
  routesOf(gate, '/api/endpoints', 'Filters')
    .get('/:id/filters', async ({ principal, params }) => ({ filters: await filters.list(principal, params.id) }), {
      params: IdParams,
      response: responses({ 200: SavedFilterList }, 404),
      ...operation({
        operationId: 'listFilters',
        permission: 'reading',
        summary: 'The endpoint’s saved filters, oldest first',
        description: 'The whole team shares them.',
      }),
    })
    .post(
      '/:id/filters',
      async ({ principal, params, body, status }) => status(201, await filters.create(principal, params.id, body)),
      {
        ...jsonInput(FilterInput),
        params: IdParams,
        response: responses({ 201: SavedFilter, 400: FilterErrorBody }, 403, 404),
        ...operation({
          operationId: 'saveFilter',
          compressed: true,
          permission: 'keeping',
          audit: 'filter.created',
          summary: 'Save a filter',
          description:
            'The filter is checked, and must not be empty. Names need not be unique. An endpoint can have 100 filters.',
        }),
      },
    )
    .delete(
      '/:id/filters/:filterId',
      ({ principal, params }) => done(filters.remove(principal, params.id, params.filterId)),
      {
        params: FilterParams,
        response: responses({ 200: Ok }, 404),
        ...operation({
          operationId: 'deleteFilter',
          permission: 'keeping',
          audit: 'filter.deleted',
          summary: 'Delete a saved filter',
          description: 'It is gone for the whole team.',
        }),
      },
    )
    .post(
      '/:id/where/test',
      ({ principal, params, body, request }) => filters.test(principal, params.id, body, request.signal),
      {
        ...jsonInput(FilterTest),
        params: IdParams,
        response: responses({ 200: FilterTestResult, 400: FilterErrorBody }, 404),
        ...operation({
          operationId: 'testFilter',
          compressed: true,
          permission: 'reading',
          reads: true,
          summary: 'Try a filter on the newest events',
          description:
            'Tries the filter on the newest `limit` events. Lists the events that match, and the events that do not, each with the term that decided. A call works for about a quarter of a second; `untested` counts the oldest events that it had no time for. It changes nothing.',
        }),
      },
    )
    .get(
      '/:id/events/count',
      ({ principal, params, query, request }) => counting.count(principal, params.id, query, request.signal),
      {
        params: IdParams,
        ...queryOf(EventCountQuery),
        response: responses({ 200: EventCount, 400: FilterErrorBody }, 404),
        ...operation({
          operationId: 'countEvents',
          permission: 'reading',
          summary: 'Count the events that match a filter; without one, all',
          description:
            'A call works for about a quarter of a second. While `nextCursor` is not null there is more to count: the sum over all calls is the number of events.',
        }),
      },
    )
    .post(
      '/:id/events/delete',
      async ({ principal, params, body, request }) => ({
        deleted: await deletion.remove(principal, params.id, body, request.signal),
      }),
      {
        ...jsonInput(DeletionRequest),
        params: IdParams,
        response: responses({ 200: Deletion, 400: FilterErrorBody }, 403, 404),
        ...operation({
          operationId: 'deleteEvents',
          permission: 'deletion',
          audit: 'endpoint.events_deleted',
          summary: 'Delete the events that match a filter; for an owner only',
          description:
            'Newest first, and all of them before the response; pinned ones stay unless `pinned` is true. When the client disconnects, the events that are not deleted yet stay.',
        }),
      },
    );
