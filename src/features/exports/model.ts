/* Schemas of an export: its query, and the file in each format. */
import { type Static, Type as t } from '@sinclair/typebox';
import { maxSearchCharacters } from '../../core/limits.ts';
import { ByteCount, byMediaType, nullable, Sha256, Timestamp, textDocumentedAs } from '../../http/schemas.ts';
import { Endpoint } from '../endpoints/model.ts';
import { Pin, Tags } from '../events/model.ts';

export const ExportQuery = t.Object({
  format: t.Optional(
    t.Union([t.Literal('json'), t.Literal('har')], { default: 'json', description: 'har: a HAR 1.2 capture' }),
  ),
  q: t.Optional(
    textDocumentedAs(t.String({ maxLength: maxSearchCharacters }), {
      description: 'only events whose type or payload contains this text, as in the event list',
    }),
  ),
});
export type ExportQuery = Static<typeof ExportQuery>;

const ExportedEvent = t.Object(
  {
    id: t.String(),
    receivedAt: Timestamp,
    method: t.String(),
    path: t.String(),
    query: nullable(t.String()),
    headers: t.Record(t.String(), t.String()),
    rawHeaders: t.Array(t.Tuple([t.String(), t.String()])),
    eventType: nullable(t.String()),
    platform: nullable(t.String()),
    size: ByteCount,
    sha256: Sha256,
    payloadRaw: t.String(),
    payloadEncoding: t.Union([t.Literal('utf8'), t.Literal('base64')]),
    pin: nullable(Pin),
    tags: Tags,
  },
  { title: 'ExportedEvent' },
);

const Damaged = t.Object(
  { count: t.Integer(), ids: t.Array(t.String(), { description: 'the first 1,000' }) },
  { title: 'Damaged', description: 'events that are missing from the file because their stored body is damaged' },
);

const History = t.Object(
  {
    version: t.String(),
    exportedAt: Timestamp,
    endpoint: Endpoint,
    events: t.Array(ExportedEvent),
    damaged: t.Optional(Damaged),
  },
  { title: 'History' },
);

const HttpArchive = t.Object(
  {
    log: t.Object({
      version: t.Literal('1.2'),
      creator: t.Object({ name: t.String(), version: t.String() }),
      pages: t.Array(t.Unknown()),
      entries: t.Array(t.Record(t.String(), t.Unknown()), { description: 'as in HAR 1.2' }),
      _damaged: t.Optional(Damaged),
    }),
  },
  { title: 'HttpArchive' },
);

export const mediaTypes = { json: 'application/json', har: 'application/har+json' } as const;
export const ExportFile = byMediaType({ [mediaTypes.json]: History, [mediaTypes.har]: HttpArchive });
