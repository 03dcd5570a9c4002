/* Schemas of replays, and of the attempts that a listener reports. */

import { type Static, Type as t } from '@sinclair/typebox';
import { keptResponseBytes, maxReportedAttempts, maxSigningSecretCharacters } from '../../core/limits.ts';
import { BodyEncoding, ReplayEdit } from '../../core/replay/edit-schema.ts';
import { HttpUrl, literals, nullable } from '../../core/schemas.ts';
import { HttpStatus } from '../../http/schemas.ts';
import { ReplayNote } from '../events/model.ts';

const Headers = t.Array(t.Tuple([t.String(), t.String()]));

export const ReplaySign = t.Object(
  {
    mode: literals(['none', 'fresh', 'tamper'], {
      description: '`none`: as captured; `fresh`: a new signature; `tamper`: a new signature that is broken',
    }),
    secret: t.Optional(
      t.String({
        minLength: 1,
        maxLength: maxSigningSecretCharacters,
        description: 'used for this request only: never stored, logged or shown',
      }),
    ),
    secretId: t.Optional(
      t.String({
        description:
          'a secret of the endpoint that may sign; without `secret` and `secretId`, the one with which the event is valid',
      }),
    ),
    at: t.Optional(
      t.Integer({ minimum: 0, format: 'int64', description: 'epoch milliseconds to sign for; default now' }),
    ),
    newId: t.Optional(t.Boolean({ description: 'a new delivery id, where the platform has a header for it' })),
  },
  { title: 'ReplaySign', additionalProperties: false },
);

export const ReplayRequest = t.Object(
  {
    url: t.Optional(HttpUrl('an absolute http or https URL; give either this or `listener`')),
    listener: t.Optional(
      t.String({
        description: 'in place of `url`: the name of a connected listener, which sends it to its own target',
      }),
    ),
    appendPath: t.Optional(
      t.Boolean({ description: 'append the path and the query with which the event came to `url`; default false' }),
    ),
    edit: t.Optional(ReplayEdit),
    sign: t.Optional(ReplaySign),
    dryRun: t.Optional(t.Boolean({ description: 'answer with the request instead of sending it' })),
  },
  {
    title: 'ReplayRequest',
    examples: [
      { url: 'https://staging.example.com/hook', edit: { set: { amount: '13.00' } }, sign: { mode: 'fresh' } },
    ],
    // For readers of the description; the service checks it. Client generators skip these keywords, but make unusable classes
    // from a union of objects that differ in what they require.
    if: { required: ['url'] },
    else: { required: ['listener'] },
  },
);
export type ReplayRequest = Static<typeof ReplayRequest>;

export const ReplayResult = t.Object(
  {
    ok: t.Boolean({ description: 'true when the destination returned a 2xx status' }),
    status: HttpStatus('the destination’s HTTP status'),
    durationMs: t.Integer(),
    responsePreview: t.String({ description: 'the first 500 characters of the response body' }),
    note: ReplayNote,
  },
  { title: 'ReplayResult' },
);
export type ReplayResult = Static<typeof ReplayResult>;

export const ReplayDryRun = t.Object(
  {
    // Not `t.Literal(true)`: Java clients generated from a constant boolean do not compile.
    dryRun: t.Boolean({ description: 'always true' }),
    method: t.String(),
    url: t.String({
      description:
        'with the path and query that `appendPath` appends; `listener:NAME` for a listener, which decides itself',
    }),
    headers: Headers,
    body: t.String({ description: '`[signed]` stands for a signature that a stored secret would make' }),
    bodyEncoding: BodyEncoding,
  },
  { title: 'ReplayDryRun' },
);
export type ReplayDryRun = Static<typeof ReplayDryRun>;

/** With `dryRun`, the second shape is returned. */
export const ReplayAnswer = t.Union([ReplayResult, ReplayDryRun], { title: 'ReplayAnswer' });

/** The response of a target to which another machine has sent the event. */
export const ReportedResponse = t.Object(
  {
    headers: Headers,
    body: t.String({ description: `its first ${keptResponseBytes / 1024} KiB are kept` }),
    bodyEncoding: BodyEncoding,
    truncated: t.Boolean(),
  },
  { additionalProperties: false },
);

export const ReportedAttempts = t.Object(
  {
    attempts: t.Array(
      t.Object(
        {
          eventId: t.String(),
          destination: HttpUrl('where the listener sent the event'),
          status: nullable(t.Integer({ minimum: 100, maximum: 999, description: 'null when there was no answer' })),
          durationMs: t.Integer({ minimum: 0, maximum: 86_400_000 }),
          signed: t.Optional(t.Boolean({ description: 'whether it was signed anew; default false' })),
          edited: t.Optional(
            t.Boolean({ description: 'whether it differed from the captured request; default false' }),
          ),
          response: t.Optional(nullable(ReportedResponse)),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: maxReportedAttempts },
    ),
  },
  {
    title: 'ReportedAttempts',
    examples: [
      {
        attempts: [
          {
            eventId: 'evt_01m2ab3cd4ef5gh6jk7mn8pq9r',
            destination: 'http://localhost:3000/hook',
            status: 200,
            durationMs: 12,
          },
        ],
      },
    ],
  },
);
export type ReportedAttempts = Static<typeof ReportedAttempts>;

export const AcceptedAttempts = t.Object(
  { accepted: t.Integer({ description: 'how many were recorded; events that are gone are left out' }) },
  { title: 'AcceptedAttempts' },
);
