/* What an export is asked for (api-contract "GET /api/endpoints/{id}/export"). */
import { type Static, Type as t } from '@sinclair/typebox';

export const ExportQuery = t.Object({
  format: t.Optional(t.String({ description: 'json (default) or har' })),
  q: t.Optional(t.String({ description: 'free text filter over event type and payload, as in the event list' })),
});
export type ExportQuery = Static<typeof ExportQuery>;

/** An answer that is a file of unknown length. */
export const ExportFile = t.Unsafe<Response>({
  type: 'string',
  format: 'binary',
  contentMediaType: 'application/json',
});
