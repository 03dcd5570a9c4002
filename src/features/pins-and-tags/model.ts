/* Schemas of requests that keep events: pins and tags. */

import { type Static, Type as t } from '@sinclair/typebox';
import { nullable, textDocumentedAs } from '../../http/schemas.ts';
import { maxPinNoteCharacters, maxTagCharacters, maxTagsPerEvent } from '../../shared/limits.ts';
import { EventSummary } from '../events/model.ts';

export const PinRequest = t.Object(
  {
    name: t.Optional(
      nullable(
        textDocumentedAs(t.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' }), {
          description: 'unique in the endpoint; stands for the event as `@name` on the command line',
        }),
      ),
    ),
    note: t.Optional(
      nullable(
        textDocumentedAs(t.String({ maxLength: maxPinNoteCharacters }), {
          description: `at most ${maxPinNoteCharacters} characters`,
        }),
      ),
    ),
  },
  { title: 'PinRequest', examples: [{ name: 'golden', note: 'the first paid order' }] },
);
export type PinRequest = Static<typeof PinRequest>;

const Tag = t.String({ minLength: 1, maxLength: maxTagCharacters });

export const TagsRequest = t.Object(
  { tags: t.Array(t.String(), { description: 'repetitions are left out' }) },
  {
    title: 'TagsRequest',
    examples: [{ tags: ['checkout'] }],
    documentedAs: t.Object({
      tags: t.Array(Tag, { maxItems: maxTagsPerEvent, description: 'repetitions are left out' }),
    }),
  },
);
/** The event after the change. */
export const KeptEvent = EventSummary;

export type TagsRequest = Static<typeof TagsRequest>;
