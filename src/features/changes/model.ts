/* Schemas of the list of an endpoint's changes. */
import { type Static, Type as t } from '@sinclair/typebox';
import { literals, nullable, textDocumentedAs } from '../../core/schemas.ts';
import { Moment, Timestamp } from '../../http/schemas.ts';

const changeKinds = ['secret', 'answers', 'forward', 'alert', 'guard', 'redaction', 'settings', 'schema'] as const;

export const Change = t.Object(
  {
    at: Timestamp,
    kind: literals(changeKinds),
    text: t.String({ description: 'a sentence that names what changed, never a secret or a value' }),
    by: nullable(t.String({ description: 'the email address; null for schemas and for the operator’s commands' })),
    link: t.String({ description: 'the path of a page of the dashboard' }),
  },
  { title: 'Change' },
);
export type Change = Static<typeof Change>;

export const ChangePage = t.Object(
  { changes: t.Array(Change, { description: 'newest first' }), nextCursor: nullable(t.String()) },
  { title: 'ChangePage' },
);
export type ChangePage = Static<typeof ChangePage>;

export const defaultChanges = 50;
const maxChanges = 200;

export const ChangesQuery = t.Object({
  from: Moment('epoch milliseconds, included; by default without a limit'),
  to: Moment('epoch milliseconds, included; default now'),
  limit: t.Optional(
    textDocumentedAs(t.Integer({ minimum: 1, maximum: maxChanges, default: defaultChanges }), {
      pattern: '^(?:[1-9][0-9]?|1[0-9]{2}|200)$',
      description: `1 to ${maxChanges}, default ${defaultChanges}`,
    }),
  ),
  cursor: t.Optional(t.String({ description: '`nextCursor` of the previous page' })),
});
export type ChangesQuery = Static<typeof ChangesQuery>;
