/* The form of pins and tags in requests and exported events. event-marks.ts checks what no schema can say. */
import { type Static, Type as t } from '@sinclair/typebox';
import { maxPinNameCharacters, maxPinNoteCharacters, maxTagCharacters, maxTagsPerEvent } from '../../shared/limits.ts';
import { nullable, textDocumentedAs } from '../schemas.ts';

export const pinFields = {
  name: t.Optional(
    nullable(
      t.String({
        pattern: `^[a-z0-9][a-z0-9._-]{0,${maxPinNameCharacters - 1}}$`,
        problem: `must be 1 to ${maxPinNameCharacters} of a-z, 0-9, ".", "_" and "-", beginning with a letter or digit`,
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
};
const Pin = t.Object(pinFields);
export type PinFields = Static<typeof Pin>;

export const Tags = t.Array(t.String({ documentedAs: t.String({ minLength: 1, maxLength: maxTagCharacters }) }), {
  maxItems: maxTagsPerEvent,
  description: 'repetitions are left out',
});
