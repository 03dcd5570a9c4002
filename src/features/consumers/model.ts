/* Schemas of consumers: named positions in the feed of an endpoint. */
import { type Static, Type as t } from '@sinclair/typebox';
import { textDocumentedAs } from '../../core/schemas.ts';
import { Timestamp } from '../../http/schemas.ts';
import { consumerNameForm } from '../../shared/consumer-name.ts';

const Name = t.String({ description: consumerNameForm });

export const Consumer = t.Object(
  {
    name: Name,
    cursor: t.String({ description: 'the position: pass it as `after` to the feed' }),
    behind: t.Integer({ description: 'how many events come after it' }),
    lastSeenAt: Timestamp,
  },
  { title: 'Consumer', description: '`lastSeenAt` is when its position was last put, also when it did not move' },
);
export type Consumer = Static<typeof Consumer>;

export const ConsumerList = t.Object(
  { consumers: t.Array(Consumer, { description: 'by name' }) },
  { title: 'ConsumerList' },
);
export type ConsumerList = Static<typeof ConsumerList>;

export const ConsumerPosition = t.Object(
  {
    cursor: textDocumentedAs(t.String(), {
      description: 'of the feed of this endpoint; or `start`, or `now`: after all events that are stored',
    }),
    rewind: t.Optional(t.Boolean({ description: 'true: the position may go back. Default false' })),
  },
  { title: 'ConsumerPosition', examples: [{ cursor: '000000000z43q7k2w9d' }] },
);
export type ConsumerPosition = Static<typeof ConsumerPosition>;

export const ConsumerParams = t.Object({ id: t.String(), name: Name });
