/* Schemas of an export: its query, and the file in each format. */
import { type Static, Type as t } from '@sinclair/typebox';
import { nullable, textDocumentedAs } from '../../core/schemas.ts';
import { ByteCount, byMediaType, Sha256, Timestamp } from '../../http/schemas.ts';
import { exportFiles, exportFormats, exportUses } from '../../shared/exports.ts';
import { maxExportedIds, maxSearchCharacters } from '../../shared/limits.ts';
import { Endpoint } from '../endpoints/model.ts';
import { Answered, Pin, Redacted, Refused, Tags, Where } from '../events/model.ts';

export const ExportFormat = t.Unsafe<keyof typeof exportFiles>(
  t.Union(
    exportFormats.map(format => t.Literal(format)),
    { default: 'json', description: exportUses },
  ),
);
export type ExportFormat = Static<typeof ExportFormat>;

export const ExportQuery = t.Object({
  format: t.Optional(ExportFormat),
  q: t.Optional(
    textDocumentedAs(t.String({ maxLength: maxSearchCharacters }), {
      description: 'only events whose type or payload contains this text, as in the event list',
    }),
  ),
  where: Where,
  ids: t.Optional(
    textDocumentedAs(t.String(), {
      description: `only these events, by their ids with commas between; up to ${maxExportedIds}`,
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
    answered: Answered,
    refused: Refused,
    redacted: nullable(Redacted),
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

const Lines = t.String({
  description:
    'one ExportedEvent a line, as in `events` of History; when stored events are damaged, the last line is `{"damaged":…}`',
});
const Table = t.String({
  description: 'RFC 4180, with a header line; docs/exporting.md lists the columns',
});
const Script = t.String({
  description: 'a POSIX shell script that sends the events again: `sh service-{id}.sh [URL]`',
});

export const exportFileName = (endpointId: string, format: ExportFormat): string =>
  `service-${endpointId}.${exportFiles[format].extension}`;

export const ExportFile = byMediaType({
  ...Object.fromEntries(
    Object.values(exportFiles).map(({ mediaType, use }) => [mediaType, t.String({ description: use })]),
  ),
  [exportFiles.json.mediaType]: History,
  [exportFiles.har.mediaType]: HttpArchive,
  [exportFiles.ndjson.mediaType]: Lines,
  [exportFiles.csv.mediaType]: Table,
  [exportFiles.curl.mediaType]: Script,
});
