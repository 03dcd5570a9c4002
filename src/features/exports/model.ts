/* What an export is asked for (api-contract "GET /api/endpoints/{id}/export"). */
import { type Static, Type as t } from '@sinclair/typebox';
import { maxSearchCharacters } from '../../core/limits.ts';
import { described, fileOf } from '../../http/schemas.ts';

export const ExportQuery = t.Object({
  format: t.Optional(
    t.Union([t.Literal('json'), t.Literal('har')], { default: 'json', description: 'har: a HAR 1.2 capture' }),
  ),
  q: t.Optional(
    described(t.String({ maxLength: maxSearchCharacters }), {
      description: 'free text filter over event type and payload, as in the event list',
    }),
  ),
});
export type ExportQuery = Static<typeof ExportQuery>;

/** Of unknown length. */
export const ExportFile = fileOf('application/json');
