/* The form of an edit to an event that is sent again. replay-edit.ts checks what no schema can say. */
import { type Static, Type as t } from '@sinclair/typebox';
import { literals, nullable } from '../schemas.ts';

const maxPaths = 100;
const maxEditedHeaders = 100;

const Path = t.String({ minLength: 1, description: 'keys and list indexes with dots between them: `items.0.sku`' });
export const BodyEncoding = literals(['utf8', 'base64'], { description: 'the encoding of `body`' });

export const ReplayEdit = t.Object(
  {
    set: t.Optional(
      t.Record(t.String({ minLength: 1 }), t.Unknown(), {
        maxProperties: maxPaths,
        description:
          'JSON values by path, such as `items.0.sku`, in place of those in the body; every other byte stays. Of repeated keys the last is replaced',
      }),
    ),
    unset: t.Optional(
      t.Array(Path, { maxItems: maxPaths, description: 'paths of what to remove; of repeated keys all are removed' }),
    ),
    body: t.Optional(t.String({ description: 'in place of the whole body' })),
    bodyEncoding: t.Optional(BodyEncoding),
    headers: t.Optional(
      t.Array(t.Tuple([t.String(), nullable(t.String())]), {
        maxItems: maxEditedHeaders,
        description: 'a value replaces all headers of that name, or adds one; null removes them',
      }),
    ),
  },
  { title: 'ReplayEdit', additionalProperties: false },
);
/** `set` is written by `JSON.stringify`; `parseExactJson` keeps the spelling of numbers. A header given twice is sent twice. */
export type ReplayEdit = Static<typeof ReplayEdit>;
