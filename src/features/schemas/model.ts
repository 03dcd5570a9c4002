/* Schemas of what is known about an endpoint's event types. */
import { type Static, Type as t } from '@sinclair/typebox';
import { nullable } from '../../core/schemas.ts';
import { byMediaType, Timestamp } from '../../http/schemas.ts';

const Platform = nullable(t.String({ description: 'null: of no known platform' }));
const EventType = nullable(t.String({ description: 'null: without a type' }));

export const TypeSchema = t.Object(
  {
    platform: Platform,
    type: EventType,
    count: t.Integer({
      description: 'events with a JSON body that were read, also those removed since',
      format: 'int64',
    }),
    firstAt: Timestamp,
    lastAt: Timestamp,
    changedAt: t.Integer({
      description: 'epoch milliseconds: the last event with a path, a kind of value or an absence that was new',
      format: 'int64',
    }),
  },
  { title: 'TypeSchema' },
);
export type TypeSchema = Static<typeof TypeSchema>;

export const TypeSchemaList = t.Object(
  { schemas: t.Array(TypeSchema, { description: 'by type, then by platform' }) },
  { title: 'TypeSchemaList' },
);

export const SchemaChange = t.Object(
  {
    platform: Platform,
    type: EventType,
    kind: t.Union([t.Literal('new'), t.Literal('vanished'), t.Literal('type')], {
      description:
        'new: a path that at least 20 events before did not have; vanished: 50 events in a row are without a path that nearly all had; type: values of another kind than before',
    }),
    path: t.String({
      description:
        'as in a filter after `body.`, such as `data.object.amount` or `items[].sku`; `*` is any key of a map, and the empty path the body',
    }),
    at: t.Integer({ description: 'epoch milliseconds: when the event was received', format: 'int64' }),
    eventId: t.String({ description: 'the event that showed the change; it may have been removed since' }),
  },
  { title: 'SchemaChange' },
);
export type SchemaChange = Static<typeof SchemaChange>;

export const SchemaChangeList = t.Object(
  { changes: t.Array(SchemaChange, { description: 'newest first, at most 500' }) },
  { title: 'SchemaChangeList' },
);

export const SchemaQuery = t.Object({
  platform: t.Optional(
    t.String({
      description:
        'needed only when several platforms send this type: default is the one with the most events; `-`: none',
    }),
  ),
  as: t.Optional(
    t.Union([t.Literal('jsonschema'), t.Literal('typescript'), t.Literal('zod')], {
      default: 'jsonschema',
      description: 'jsonschema: draft 2020-12; typescript or zod: source code with one export, named after the type',
    }),
  ),
});
export type SchemaQuery = Static<typeof SchemaQuery>;
export type SchemaForm = NonNullable<SchemaQuery['as']>;

export const SchemaParams = t.Object({
  id: t.String(),
  type: t.String({ description: 'the event type, URL-encoded; `-`: events without a type' }),
});

export const SchemaText = byMediaType({
  'application/json': t.Record(t.String(), t.Unknown(), { title: 'EventJsonSchema' }),
  'text/plain': t.String({ description: 'source code, such as `export type OrderPaid = { … };`' }),
});
