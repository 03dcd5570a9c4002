/* Schemas of erasures. */
import { type Static, Type as t } from '@sinclair/typebox';
import { literals, nullable, textDocumentedAs } from '../../core/schemas.ts';
import { Timestamp } from '../../http/schemas.ts';
import { maxErasedCharacters, maxErasedGuids, minErasedCharacters } from '../../shared/limits.ts';

export const ErasureInput = t.Object(
  {
    text: textDocumentedAs(t.String({ minLength: minErasedCharacters, maxLength: maxErasedCharacters }), {
      description: `${minErasedCharacters} to ${maxErasedCharacters} characters, in any case; every character stands for itself`,
    }),
    dryRun: t.Optional(t.Boolean({ description: 'only count what would be deleted' })),
  },
  { title: 'ErasureInput', examples: [{ text: 'ada@example.com', dryRun: true }] },
);
export type ErasureInput = Static<typeof ErasureInput>;

const Count = t.Integer({ minimum: 0 });

export const Erasure = t.Object(
  {
    id: t.String({ examples: ['era_01m2ab3cd4ef5gh6jk7mn8pq9r'] }),
    state: literals(['searching', 'deleting', 'done', 'failed'], {
      description:
        '`searching`: nothing is deleted yet. `deleting`: goes on after a restart. `done`: no file of the data directory and no backup in object storage has the text. `failed`: nothing was deleted',
    }),
    dryRun: t.Boolean(),
    endpoints: t.Array(t.Object({ id: t.String(), name: t.String(), events: Count, pinned: Count }), {
      description: 'those with such events; empty while it is searching',
    }),
    events: t.Integer({ minimum: 0, description: 'how many events have the text' }),
    createdAt: Timestamp,
    finishedAt: nullable(Timestamp),
  },
  { title: 'Erasure' },
);
export type Erasure = Static<typeof Erasure>;

export const ErasedDeliveriesQuery = t.Object({
  guids: t.Optional(
    t.String({ maxLength: 40 * maxErasedGuids, description: `separated by commas, ${maxErasedGuids} at most` }),
  ),
});
export const ErasedDeliveries = t.Object(
  { erased: t.Array(t.String(), { description: 'those of `guids` that an erasure deleted in the last 7 days' }) },
  { title: 'ErasedDeliveries' },
);
