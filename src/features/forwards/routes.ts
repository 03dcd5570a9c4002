/* /api/endpoints/{id}/forwards */
import { Elysia } from 'elysia';
import type { Principal } from '../../core/access/principal.ts';
import { withoutPath } from '../../core/network/destination.ts';
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput, queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, FilterErrorBody, IdParams, Ok, responses } from '../../http/schemas.ts';
import { forwardPresets } from '../../shared/forward-presets.ts';
import { shownSecret } from '../../shared/guard.ts';
import {
  Forward,
  ForwardAnswer,
  ForwardChange,
  ForwardDeliveryPage,
  ForwardDeliveryQuery,
  ForwardInput,
  ForwardList,
  ForwardParams,
  ForwardPresetList,
  ForwardPreview,
  ForwardPreviewRequest,
  ForwardSecret,
  ForwardSelection,
  ForwardStats,
  ForwardStatsQuery,
} from './model.ts';
import type { PreviewRequest } from './preview.ts';
import type { ForwardsService } from './service.ts';

type Options = { gate: Gate; forwards: ForwardsService; previewForward: PreviewRequest };

/** A request without a body selects what its operation selects by default. */
const selection = jsonInput(ForwardSelection, {
  nullIsAbsent: true,
  parse: text => (text.trim() === '' ? {} : (JSON.parse(text) as unknown)),
});

/** The URL and the headers may contain credentials, which would let a read-only key do more than read. */
const toShown = ({ isReadOnly }: Pick<Principal, 'isReadOnly'>, forward: Forward): Forward =>
  isReadOnly
    ? { ...forward, url: withoutPath(forward.url), headers: forward.headers.map(([name]) => [name, shownSecret]) }
    : forward;
const toList = (principal: Pick<Principal, 'isReadOnly'>, all: readonly Forward[]) => ({
  forwards: all.map(one => toShown(principal, one)),
});

export const forwardsRoutes = (options: Options) =>
  new Elysia().use(settingsRoutes(options)).use(requestRoutes(options)).use(deliveriesRoutes(options));

const settingsRoutes = ({ gate, forwards }: Options) =>
  routesOf(gate, '/api/endpoints', 'Forwards')
    .get(
      '/:id/forwards',
      async ({ principal, params }) => toList(principal, await forwards.list(principal, params.id)),
      {
        params: IdParams,
        response: responses({ 200: ForwardList }, 404),
        ...operation({
          operationId: 'listForwards',
          permission: 'forwards',
          summary: 'The endpoint’s forwards, oldest first',
          description: 'Each with how many events wait, since when, and how its destination is.',
        }),
      },
    )
    .post(
      '/:id/forwards',
      async ({ principal, params, body, status }) => status(201, await forwards.create(principal, params.id, body)),
      {
        ...jsonInput(ForwardInput, { nullIsAbsent: true }),
        params: IdParams,
        response: responses({ 201: Forward, 400: FilterErrorBody }, 403, 404),
        ...operation({
          operationId: 'createForward',
          permission: 'forwards',
          audit: 'forward.created',
          summary: 'Send every event on to a URL; not for apps',
          description:
            'From now on, each event that matches goes to `url` until it is accepted with 2xx; the sender’s answer does not wait for it. 408, 425, 429, 5xx and no answer are tried again for `retry.for`, after `Retry-After` where there is one; after 429 with `Retry-After` nothing is sent to the destination until then. After three other answers the event is given up. Refused events are not forwarded. An endpoint can have five forwards; private destinations, unless HOOKTAPE_REPLAY_ALLOW names them, and ingest URLs of this server are 400.',
        }),
      },
    )
    .get(
      '/:id/forwards/:fid',
      async ({ principal, params }) => toShown(principal, await forwards.forward(principal, params.id, params.fid)),
      {
        params: ForwardParams,
        response: responses({ 200: Forward }, 404),
        ...operation({
          operationId: 'getForward',
          permission: 'forwards',
          summary: 'One forward',
          description:
            'With how many events wait, since when, and how its destination is. To a read-only key, the values of `headers` are `[set]`, and `url` is only the server, with `[set]` as its path.',
        }),
      },
    )
    .patch(
      '/:id/forwards/:fid',
      ({ principal, params, body }) => forwards.change(principal, params.id, params.fid, body),
      {
        ...jsonInput(ForwardChange),
        params: ForwardParams,
        response: responses({ 200: Forward, 400: FilterErrorBody }, 403, 404),
        ...operation({
          operationId: 'changeForward',
          permission: 'forwards',
          audit: 'forward.changed',
          summary: 'Change a forward; not for apps',
          description:
            'Fields that are not given stay. Events that wait go to the new URL; a new filter and new lanes apply to events from now on.',
        }),
      },
    )
    .delete('/:id/forwards/:fid', ({ principal, params }) => done(forwards.remove(principal, params.id, params.fid)), {
      params: ForwardParams,
      response: responses({ 200: Ok }, 403, 404),
      ...operation({
        operationId: 'deleteForward',
        permission: 'forwards',
        audit: 'forward.deleted',
        summary: 'Delete a forward; not for apps',
        description: 'Waiting events are not sent any more, and requests under way are cut off.',
      }),
    });

const requestRoutes = ({ gate, forwards, previewForward }: Options) =>
  routesOf(gate, '/api', 'Forwards')
    .get('/forward-presets', () => ({ presets: [...forwardPresets] }), {
      response: responses({ 200: ForwardPresetList }, 403),
      ...operation({
        operationId: 'listForwardPresets',
        permission: 'forwards',
        summary: 'Requests for common destinations, to begin with',
        description:
          'Each is the beginning of a forward: `url`, `headers` and `request`, with `needs` for what only you know. Whatever an event contains, the request is one that the destination accepts, and nobody is mentioned there.',
      }),
    })
    .post(
      '/endpoints/:id/forwards/preview',
      ({ principal, params, body, request }) => previewForward(principal, params.id, body, request.signal),
      {
        ...jsonInput(ForwardPreviewRequest, { nullIsAbsent: true }),
        params: IdParams,
        response: responses({ 200: ForwardPreview, 400: FilterErrorBody }, 403, 404),
        ...operation({
          operationId: 'previewForward',
          permission: 'forwards',
          reads: true,
          summary: 'What a request would be for the newest events',
          description:
            'For each of the newest `limit` events that match `where` and were not refused: the body that a forward with this request would send. It sends nothing and changes nothing.',
        }),
      },
    )
    .post(
      '/endpoints/:id/forwards/:fid/secret',
      async ({ principal, params, set }) => {
        set.headers['cache-control'] = 'no-store';
        return { secret: await forwards.replaceSecret(principal, params.id, params.fid) };
      },
      {
        params: ForwardParams,
        response: responses({ 200: ForwardSecret }, 403, 404, 409),
        ...operation({
          operationId: 'replaceForwardSecret',
          permission: 'forwards',
          audit: 'forward.secret_replaced',
          summary: 'Make a new signing secret for `sign: own`; not for apps',
          description:
            'The secret is shown only in this answer. For 24 hours the one before signs beside it; older ones sign no longer. A forward has a secret from its creation, which nobody has seen: make a new one to get it.',
        }),
      },
    );

const deliveriesRoutes = ({ gate, forwards }: Options) =>
  routesOf(gate, '/api/endpoints', 'Forwards')
    .get(
      '/:id/forwards/:fid/deliveries',
      ({ principal, params, query }) => forwards.deliveries(principal, params.id, params.fid, query),
      {
        params: ForwardParams,
        ...queryOf(ForwardDeliveryQuery),
        response: responses({ 200: ForwardDeliveryPage }, 400, 404),
        ...operation({
          operationId: 'listForwardDeliveries',
          permission: 'forwards',
          summary: 'The events of a forward that are not settled, oldest first',
          description: 'Accepted events are not listed: their replays have the attempt.',
        }),
      },
    )
    .get(
      '/:id/forwards/:fid/stats',
      ({ principal, params, query }) => forwards.stats(principal, params.id, params.fid, query),
      {
        params: ForwardParams,
        ...queryOf(ForwardStatsQuery),
        response: responses({ 200: ForwardStats }, 400, 403, 404),
        ...operation({
          operationId: 'getForwardStats',
          permission: 'forwards',
          summary: 'How many attempts of a forward succeeded and failed, and how long they took',
          description:
            'Attempts are counted when they end, and kept for 30 days. Buckets are the smallest of 1, 5, 10 and 30 minutes, 1, 3, 6 and 12 hours, 1 and 7 days and the multiples of 30 days of which at most `buckets` cover the range; both ends belong to it, and it is widened to whole buckets. By default the last 24 clock hours.',
        }),
      },
    )
    .post(
      '/:id/forwards/:fid/retry',
      ({ principal, params, body }) => forwards.retry(principal, params.id, params.fid, body),
      {
        ...selection,
        params: ForwardParams,
        response: responses({ 200: ForwardAnswer, 400: FilterErrorBody }, 403, 404),
        ...operation({
          operationId: 'retryForward',
          permission: 'forwards',
          audit: { action: result => ('id' in result ? 'forward.retried' : null) },
          summary: 'Try events again now; not for apps',
          description:
            'One event, or all failed and given-up events that match `where`; without either, all given-up events. With `dryRun` the answer says how many that is, and nothing is changed.',
        }),
      },
    )
    .post(
      '/:id/forwards/:fid/skip',
      ({ principal, params, body }) => forwards.skip(principal, params.id, params.fid, body),
      {
        ...selection,
        params: ForwardParams,
        response: responses({ 200: ForwardAnswer, 400: FilterErrorBody }, 403, 404),
        ...operation({
          operationId: 'skipForward',
          permission: 'forwards',
          audit: { action: result => ('id' in result ? 'forward.skipped' : null) },
          summary: 'Do not send events; not for apps',
          description:
            'One event, or all that match `where`; without either, the failed head of each lane, which holds up its successors. With `dryRun` the answer says how many that is, and nothing is changed.',
        }),
      },
    )
    .post('/:id/forwards/:fid/pause', ({ principal, params }) => forwards.pause(principal, params.id, params.fid), {
      params: ForwardParams,
      response: responses({ 200: Forward }, 403, 404),
      ...operation({
        operationId: 'pauseForward',
        permission: 'forwards',
        audit: 'forward.paused',
        summary: 'Pause a forward; not for apps',
        description: 'Nothing more is sent, and events wait. It is the same as `enabled: false`.',
      }),
    })
    .post('/:id/forwards/:fid/resume', ({ principal, params }) => forwards.resume(principal, params.id, params.fid), {
      params: ForwardParams,
      response: responses({ 200: Forward }, 403, 404),
      ...operation({
        operationId: 'resumeForward',
        permission: 'forwards',
        audit: 'forward.resumed',
        summary: 'Go on with a paused forward; not for apps',
        description: 'Waiting events are sent. It is the same as `enabled: true`.',
      }),
    });
