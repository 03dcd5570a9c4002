/* A replay on the wire (api-contract "ReplayResult"). */
import { type Static, Type as t } from '@sinclair/typebox';
import { described } from '../../http/schemas.ts';

export const ReplayRequest = t.Object(
  { url: described(t.String({ format: 'uri' }), { description: 'where to send it: an http or https URL' }) },
  { title: 'ReplayRequest' },
);

export const ReplayResult = t.Object(
  {
    ok: t.Boolean({ description: 'true when the destination returned a 2xx status' }),
    status: t.Integer({ description: 'the destination’s HTTP status' }),
    durationMs: t.Integer(),
    responsePreview: t.String({ description: 'first 500 characters of the destination’s response body' }),
  },
  { title: 'ReplayResult' },
);
export type ReplayResult = Static<typeof ReplayResult>;
