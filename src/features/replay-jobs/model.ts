/* Schemas of replay jobs. */

import { type Static, Type as t } from '@sinclair/typebox';
import { defaultPageSize } from '../../core/limits.ts';
import { jobOutcomes, replayJobStates } from '../../core/replay/replay-job.ts';
import { HttpUrl, literals, nullable } from '../../core/schemas.ts';
import { ByteCount, PageSize, Timestamp } from '../../http/schemas.ts';
import { maxChosenEvents, maxJobConcurrency } from '../../shared/limits.ts';
import { EventSummary } from '../events/model.ts';

const maxPaths = 200;

const Time = t.Union([t.Integer(), t.String({ minLength: 1, maxLength: 40 })], {
  description: 'epoch milliseconds, RFC 3339, a day, or a duration such as 2h for so long ago',
});
const Count = t.Integer({ minimum: 0 });

const Sign = t.Object(
  {
    mode: literals(['none', 'fresh'], { description: '`fresh`: a new signature with a secret that may sign' }),
    secretId: t.Optional(t.String()),
    newId: t.Optional(
      t.Boolean({ description: 'true is refused with `fresh`: a stored secret signs only events that are not edited' }),
    ),
  },
  { additionalProperties: false },
);

export const ReplayJobInput = t.Object(
  {
    endpointId: t.String(),
    where: t.Optional(t.String({ description: 'only events that match this filter' })),
    from: t.Optional(Time),
    to: t.Optional(Time),
    eventIds: t.Optional(
      t.Array(t.String({ maxLength: 100 }), {
        minItems: 1,
        maxItems: maxChosenEvents,
        description: 'these events, in place of `where`, `from` and `to`',
      }),
    ),
    dest: HttpUrl('where the events are sent'),
    dest2: t.Optional(nullable(HttpUrl('a second destination: its answers are compared with those of `dest`'))),
    ignore: t.Optional(
      t.Array(t.String({ minLength: 1, maxLength: 1000 }), {
        maxItems: maxPaths,
        description:
          'paths that are not compared: `status`, `header.x`, `body.a.b`, with everything below it; `body.items[].id` in every item',
      }),
    ),
    compareHeaders: t.Optional(
      t.Array(t.String({ minLength: 1, maxLength: 200 }), {
        maxItems: maxPaths,
        description: 'headers of the answers that are compared; default none',
      }),
    ),
    pace: t.Optional(
      nullable(
        t.String({ description: '`5/s`, `original` (the distances in which they came), `original*10`; null: at once' }),
      ),
    ),
    concurrency: t.Optional(
      t.Integer({ minimum: 1, maximum: maxJobConcurrency, default: 1, description: 'requests at a time' }),
    ),
    per: t.Optional(
      literals(['event', 'delivery'], { description: 'delivery: of the attempts of a delivery only the newest' }),
    ),
    skipOk: t.Optional(
      t.Boolean({ description: 'skip events to which `dest` has answered with 2xx before; default false' }),
    ),
    stopAfter: t.Optional(
      nullable(t.Integer({ minimum: 1, description: 'pause the job after so many failed events' })),
    ),
    sign: t.Optional(Sign),
    dryRun: t.Optional(t.Boolean({ description: 'only count the events' })),
  },
  {
    title: 'ReplayJobInput',
    examples: [
      {
        endpointId: 'ep_01m2ab3cd4ef5gh6jk7mn8pq9r',
        where: 'type:order.*',
        from: '2h',
        dest: 'https://staging.example.com/hook',
        pace: '5/s',
      },
    ],
    additionalProperties: false,
  },
);
export type ReplayJobInput = Static<typeof ReplayJobInput>;

export const ReplayJob = t.Object(
  {
    id: t.String(),
    state: literals(replayJobStates),
    endpointId: t.String(),
    where: t.String(),
    dest: t.String(),
    dest2: nullable(t.String()),
    ignore: t.Array(t.String(), { description: 'paths that are not compared' }),
    compareHeaders: t.Array(t.String(), { description: 'headers that are compared' }),
    pace: nullable(t.String()),
    concurrency: t.Integer(),
    per: literals(['event', 'delivery']),
    skipOk: t.Boolean(),
    stopAfter: nullable(t.Integer()),
    sign: nullable(Sign),
    matched: t.Integer({ description: 'events of the job' }),
    bytes: { ...ByteCount, description: 'of their bodies' },
    ok: Count,
    failed: Count,
    skipped: Count,
    same: Count,
    different: Count,
    createdAt: Timestamp,
    startedBy: nullable(t.String({ description: 'the email address; null when the account is gone' })),
    finishedAt: nullable(Timestamp),
  },
  { title: 'ReplayJob' },
);
export type ReplayJob = Static<typeof ReplayJob>;

export const ReplayJobDryRun = t.Object({ matched: t.Integer(), bytes: ByteCount }, { title: 'ReplayJobDryRun' });
export type ReplayJobDryRun = Static<typeof ReplayJobDryRun>;

export const ReplayJobPage = t.Object(
  { jobs: t.Array(ReplayJob, { description: 'newest first' }), nextCursor: nullable(t.String()) },
  { title: 'ReplayJobPage' },
);
export type ReplayJobPage = Static<typeof ReplayJobPage>;

const Difference = t.Object(
  {
    path: t.String({ description: '`status`, `header.x` or `body.a.b`' }),
    left: t.Unknown({ description: 'of `dest`; null when it is missing' }),
    right: t.Unknown({ description: 'of `dest2`; null when it is missing' }),
    missing: t.Optional(literals(['left', 'right'], { description: 'the side that has no such value' })),
  },
  { title: 'Difference' },
);

export const ReplayJobItem = t.Object(
  {
    eventId: t.String(),
    event: nullable(EventSummary),
    outcome: literals(jobOutcomes),
    status: nullable(t.Integer({ description: 'of `dest`; null without an answer' })),
    status2: nullable(t.Integer({ description: 'of `dest2`' })),
    error: nullable(t.String({ description: 'why there was no answer, or why it was skipped' })),
    differences: t.Array(Difference),
    sentAt: nullable({ ...Timestamp, description: 'when the last request to `dest` began; null while it is waiting' }),
    durationMs: nullable(t.Integer({ description: 'of that request, to the end of the response' })),
  },
  { title: 'ReplayJobItem' },
);
export type ReplayJobItem = Static<typeof ReplayJobItem>;

export const ReplayJobItemPage = t.Object(
  { items: t.Array(ReplayJobItem, { description: 'in the order of the job' }), nextCursor: nullable(t.String()) },
  { title: 'ReplayJobItemPage' },
);
export type ReplayJobItemPage = Static<typeof ReplayJobItemPage>;

const JobAnswer = t.Object({
  status: t.Integer(),
  headers: t.Array(t.Tuple([t.String(), t.String()])),
  body: t.String({ description: 'its first 64 KiB' }),
  bodyEncoding: literals(['utf8', 'base64']),
});
export const ReplayJobAnswers = t.Object(
  { left: nullable(JobAnswer), right: nullable(JobAnswer) },
  { title: 'ReplayJobAnswers' },
);
export type ReplayJobAnswers = Static<typeof ReplayJobAnswers>;

const Limit = PageSize(defaultPageSize);
const Cursor = t.Optional(t.String({ description: '`nextCursor` of the previous page' }));
export const ReplayJobQuery = t.Object({ endpointId: t.Optional(t.String()), limit: Limit, cursor: Cursor });
export type ReplayJobQuery = Static<typeof ReplayJobQuery>;
export const ReplayJobItemQuery = t.Object({
  outcome: t.Optional(literals(jobOutcomes)),
  limit: Limit,
  cursor: Cursor,
});
export type ReplayJobItemQuery = Static<typeof ReplayJobItemQuery>;
export const JobItemParams = t.Object({ id: t.String(), eventId: t.String() });
