/* A replay on the wire (api-contract "ReplayResult"). */
import { type Static, Type as t } from '@sinclair/typebox';
import { maxUrlCharacters } from '../../core/destination.ts';
import { described, HttpStatus } from '../../http/schemas.ts';

export const ReplayRequest = t.Object(
  {
    url: described(
      t.String({ format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]', maxLength: maxUrlCharacters }),
      {
        description: 'where to send it: an absolute http or https URL',
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
    responsePreview: t.String({ description: 'first 500 characters of the destination’s response body' }),
  },
  { title: 'ReplayResult' },
);
export type ReplayResult = Static<typeof ReplayResult>;
