/* Schemas of an endpoint's feed. */
import { type Static, Type as t } from '@sinclair/typebox';
import { defaultPageSize } from '../../core/limits.ts';
import { nullable, textDocumentedAs } from '../../core/schemas.ts';
import { PageSize } from '../../http/schemas.ts';
import { EventDetail, EventSummary, Where } from '../events/model.ts';

/** How long a call may wait for an event. */
export const maxFeedWaitSeconds = 25;

export const FeedEvent = t.Object(
  {
    ...EventSummary.properties,
    cursor: t.String({ description: 'the position after this event, for readers that move on event by event' }),
    query: t.Optional(
      nullable(
        t.String({
          description:
            'with `content=full`, as `GET /api/events/{id}` has it; null when there was none, or when the event is damaged',
        }),
      ),
    ),
    rawHeaders: t.Optional(
      nullable(
        t.Array(t.Tuple([t.String(), t.String()]), {
          description: 'with `content=full`; null when the event is damaged on disk',
        }),
      ),
    ),
    payloadRaw: t.Optional(nullable(t.String({ description: 'with `content=full`; null when the event is damaged' }))),
    payloadEncoding: t.Optional(nullable(EventDetail.properties.payloadEncoding)),
  },
  { title: 'FeedEvent' },
);
export type FeedEvent = Static<typeof FeedEvent>;

export const FeedCursor = t.String({ description: 'the position after these events: pass it as `after`' });

export const FeedPage = t.Object(
  {
    events: t.Array(FeedEvent, { description: 'in the order in which they were stored, oldest first' }),
    cursor: FeedCursor,
    more: t.Boolean({
      description: 'there are more already: call again at once. With `where` they may turn out not to match',
    }),
    truncated: t.Boolean({ description: 'events after the cursor are missing, because retention has removed them' }),
  },
  { title: 'FeedPage' },
);
export type FeedPage = Static<typeof FeedPage>;

export const FeedQuery = t.Object({
  after: t.Optional(
    t.String({
      description:
        '`cursor` of the previous answer; `start` (the default): from the first event that is stored; `now`: only events from now on',
    }),
  ),
  where: Where,
  limit: PageSize(defaultPageSize),
  wait: t.Optional(
    textDocumentedAs(t.Integer({ minimum: 0, maximum: maxFeedWaitSeconds, default: 0 }), {
      pattern: '^(?:1?[0-9]|2[0-5])$',
      description: `seconds to wait for an event that matches: 0 to ${maxFeedWaitSeconds}, default 0`,
    }),
  ),
  content: t.Optional(
    t.Union([t.Literal('none'), t.Literal('full')], {
      default: 'none',
      description:
        'full: each event also has its headers and its payload, at most 4 MiB an answer; a larger event comes alone',
    }),
  ),
});
export type FeedQuery = Static<typeof FeedQuery>;
