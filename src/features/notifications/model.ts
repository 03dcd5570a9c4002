/* Schemas of the event stream. */
import { Type as t } from '@sinclair/typebox';
import { byMediaType } from '../../http/schemas.ts';
import { Where } from '../events/model.ts';

export const StreamQuery = t.Object({
  where: Where,
  lastEventId: t.Optional(
    t.String({
      description:
        'id of the newest event that the client has; empty for none. The header Last-Event-ID takes precedence',
    }),
  ),
  changes: t.Optional(
    t.Union([t.Literal('true'), t.Literal('false')], {
      default: 'false',
      description:
        'true: also a message `changed` with the EventSummary when the pin or the tags of an event change, and `deleted` with its `id` when it is deleted, both through this server',
    }),
  ),
});

export const EventStream = byMediaType({
  'text/event-stream': t.String({
    description:
      'Messages of type `event`, each with an EventSummary as data and the id of the event as id, and comments in between.',
  }),
});
