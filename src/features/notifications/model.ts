/* The event stream on the wire. */
import { Type as t } from '@sinclair/typebox';
import { files } from '../../http/schemas.ts';

export const StreamQuery = t.Object({
  lastEventId: t.Optional(
    t.String({
      description:
        'id of the newest event that the client has; empty for none. The header Last-Event-ID takes precedence',
    }),
  ),
});

export const EventStream = files({
  'text/event-stream': t.String({
    description: 'Messages `event`, each with an EventSummary as data and the event’s id as id; comments in between.',
  }),
});
