/*
 * Schemas of operations with filters: saved filters, trying a filter out, and counting and deleting the events that match a
 * filter.
 */
import { type Static, Type as t } from '@sinclair/typebox';
import { Name, nullable } from '../../core/schemas.ts';
import { Timestamp } from '../../http/schemas.ts';
import { EventSummary, Where } from '../events/model.ts';

const WhereText = t.String({ description: 'a filter, such as `type:invoice.* size>10k`' });

export const FilterInput = t.Object(
  { name: Name, where: WhereText },
  { title: 'FilterInput', examples: [{ name: 'Large orders', where: 'type:order.* size>10k' }] },
);
export type FilterInput = Static<typeof FilterInput>;

export const SavedFilter = t.Object(
  { id: t.String(), name: t.String(), where: WhereText, createdAt: Timestamp },
  { title: 'SavedFilter' },
);
export type SavedFilter = Static<typeof SavedFilter>;

export const SavedFilterList = t.Object({ filters: t.Array(SavedFilter) }, { title: 'SavedFilterList' });

export const FilterParams = t.Object({ id: t.String(), filterId: t.String() });

export const maxTested = 100;

export const FilterTest = t.Object(
  {
    where: WhereText,
    limit: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: maxTested,
        default: 10,
        description: 'how many events are tried, the newest ones',
      }),
    ),
  },
  { title: 'FilterTest', examples: [{ where: 'type:order.* size>10k', limit: 10 }] },
);
export type FilterTest = Static<typeof FilterTest>;

export const FilterTestResult = t.Object(
  {
    matched: t.Array(EventSummary, { description: 'newest first' }),
    unmatched: t.Array(
      t.Object({
        event: EventSummary,
        clause: t.String({ description: 'the term of the filter that decided, as written' }),
      }),
      { description: 'newest first' },
    ),
    untested: t.Integer({ description: 'events for which there was no time, the oldest ones' }),
    hint: nullable(
      t.String({
        description:
          'how to change a filter with `type:` that matches no event of the endpoint, if `body.type:` in its place matches one; else null',
      }),
    ),
  },
  { title: 'FilterTestResult' },
);
export type FilterTestResult = Static<typeof FilterTestResult>;

export const EventCountQuery = t.Object({
  where: Where,
  cursor: t.Optional(t.String({ description: '`nextCursor` of the previous answer' })),
});
export type EventCountQuery = Static<typeof EventCountQuery>;

export const EventCount = t.Object(
  {
    count: t.Integer({ description: 'events that were found since the cursor' }),
    nextCursor: nullable(t.String({ description: 'null when all events have been counted' })),
  },
  { title: 'EventCount' },
);
export type EventCount = Static<typeof EventCount>;

export const DeletionRequest = t.Object(
  {
    where: t.String({ description: 'a filter that is not empty' }),
    pinned: t.Optional(t.Boolean({ default: false, description: 'whether pinned events are deleted, too' })),
  },
  { title: 'DeletionRequest', examples: [{ where: 'type:order.* received<30d' }] },
);
export type DeletionRequest = Static<typeof DeletionRequest>;

export const Deletion = t.Object({ deleted: t.Integer({ description: 'events' }) }, { title: 'Deletion' });
