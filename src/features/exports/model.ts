/* What an export is asked for (api-contract "GET /api/endpoints/{id}/export"). */
import { type Static, Type as t } from '@sinclair/typebox';
import { fileOf } from '../../http/schemas.ts';

export const ExportQuery = t.Object({
  format: t.Optional(t.String({ description: 'json (default) or har' })),
  q: t.Optional(t.String({ description: 'free text filter over event type and payload, as in the event list' })),
});
export type ExportQuery = Static<typeof ExportQuery>;

/** Of unknown length. */
export const ExportFile = fileOf('application/json');
