/* Schemas of a replay. */
import { type Static, Type as t } from '@sinclair/typebox';
import { maxUrlCharacters } from '../../core/destination.ts';
import { HttpStatus, textDocumentedAs } from '../../http/schemas.ts';

export const ReplayRequest = t.Object(
  {
    url: textDocumentedAs(
      t.String({ format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]', maxLength: maxUrlCharacters }),
      {
        description: 'an absolute http or https URL',
      },
    ),
  },
  { title: 'ReplayRequest' },
);

export const ReplayResult = t.Object(
  {
    ok: t.Boolean({ description: 'true when the destination returned a 2xx status' }),
    status: HttpStatus('the destination’s HTTP status'),
    durationMs: t.Integer(),
    responsePreview: t.String({ description: 'the first 500 characters of the response body' }),
  },
  { title: 'ReplayResult' },
);
export type ReplayResult = Static<typeof ReplayResult>;
