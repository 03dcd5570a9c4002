/* /api/replay-jobs */
import type { AuditDetails } from '../../core/access/audit-actions.ts';
import type { Principal } from '../../core/access/principal.ts';
import { withoutPath } from '../../core/network/destination.ts';
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput, queryOf } from '../../http/input.ts';
import { type HandlerResult, operation } from '../../http/operation.ts';
import { FilterErrorBody, IdParams, responses } from '../../http/schemas.ts';
import {
  JobItemParams,
  ReplayJob,
  ReplayJobAnswers,
  ReplayJobDryRun,
  ReplayJobInput,
  ReplayJobItemPage,
  ReplayJobItemQuery,
  ReplayJobPage,
  ReplayJobQuery,
} from './model.ts';
import type { ReplayJobsService } from './service.ts';

/** The URLs may contain credentials, which would let a read-only key do more than read. */
const toShown = ({ isReadOnly }: Pick<Principal, 'isReadOnly'>, job: ReplayJob): ReplayJob =>
  isReadOnly ? { ...job, dest: withoutPath(job.dest), dest2: job.dest2 === null ? null : withoutPath(job.dest2) } : job;

/** For the audit log: never the path or the query of the destination, which may contain credentials. */
const detailsOf = ({ matched, dest }: HandlerResult): AuditDetails => ({
  events: Number(matched),
  to: URL.parse(String(dest))?.host ?? String(dest),
});

export const replayJobsRoutes = ({ gate, replayJobs }: { gate: Gate; replayJobs: ReplayJobsService }) =>
  routesOf(gate, '/api/replay-jobs', 'Replay jobs')
    .post(
      '',
      async ({ principal, body, status, request }) => {
        const created = await replayJobs.create(principal, body, request.signal);
        return 'id' in created ? status(202, created) : status(200, created);
      },
      {
        ...jsonInput(ReplayJobInput, { nullIsAbsent: true }),
        response: { ...responses({ 200: ReplayJobDryRun, 202: ReplayJob }, 403, 404, 409), 400: FilterErrorBody },
        ...operation({
          operationId: 'createReplayJob',
          permission: 'replayJobs',
          audit: { action: result => ('id' in result ? 'replay_job.created' : null), details: detailsOf },
          summary: 'Send many events again, at a pace; not for apps',
          description:
            'The events are fixed now, at most 100,000, oldest first. A kill of the server repeats at most the requests under way. 429 and 503 with `Retry-After` are sent again after it, while the job goes on with later events; other failures are not. A destination that refuses is sent to more slowly. One job at a time sends to a destination; a team has at most 20 that are not over (403). With `dest2` the answers of both are compared. With `dryRun` the answer is 200 with the numbers, and nothing is sent.',
        }),
      },
    )
    .get(
      '',
      async ({ principal, query }) => {
        const { jobs, nextCursor } = await replayJobs.list(principal, query);
        return { jobs: jobs.map(job => toShown(principal, job)), nextCursor };
      },
      {
        ...queryOf(ReplayJobQuery),
        response: responses({ 200: ReplayJobPage }, 400),
        ...operation({
          operationId: 'listReplayJobs',
          permission: 'replayJobs',
          summary: 'The team’s replay jobs, newest first',
          description: 'Jobs are kept for 30 days after their end, at most the newest 1,000 of a team.',
        }),
      },
    )
    .get('/:id', async ({ principal, params }) => toShown(principal, await replayJobs.job(principal, params.id)), {
      params: IdParams,
      response: responses({ 200: ReplayJob }, 404),
      ...operation({
        operationId: 'getReplayJob',
        permission: 'replayJobs',
        summary: 'One replay job',
        description:
          'With its progress: how many of its events ended how. To a read-only key, `dest` and `dest2` are only the server, with `[set]` as its path.',
      }),
    })
    .post('/:id/pause', ({ principal, params }) => replayJobs.pause(principal, params.id), {
      params: IdParams,
      response: responses({ 200: ReplayJob }, 403, 404, 409),
      ...operation({
        operationId: 'pauseReplayJob',
        permission: 'replayJobs',
        audit: { action: 'replay_job.paused', details: detailsOf },
        summary: 'Pause a replay job',
        description: 'No more requests start; requests under way finish. 409 when the job is over.',
      }),
    })
    .post('/:id/resume', ({ principal, params }) => replayJobs.resume(principal, params.id), {
      params: IdParams,
      response: responses({ 200: ReplayJob }, 403, 404, 409),
      ...operation({
        operationId: 'resumeReplayJob',
        permission: 'replayJobs',
        audit: { action: 'replay_job.resumed', details: detailsOf },
        summary: 'Go on with a paused replay job',
        description: 'From where it was. Failures count anew for `stopAfter`. 409 when the job is over.',
      }),
    })
    .post('/:id/cancel', ({ principal, params }) => replayJobs.cancel(principal, params.id), {
      params: IdParams,
      response: responses({ 200: ReplayJob }, 403, 404, 409),
      ...operation({
        operationId: 'cancelReplayJob',
        permission: 'replayJobs',
        audit: { action: 'replay_job.cancelled', details: detailsOf },
        summary: 'End a replay job',
        description: 'Requests under way are cut off. 409 when the job is over.',
      }),
    })
    .get('/:id/items', ({ principal, params, query }) => replayJobs.items(principal, params.id, query), {
      params: IdParams,
      ...queryOf(ReplayJobItemQuery),
      response: responses({ 200: ReplayJobItemPage }, 400, 404),
      ...operation({
        operationId: 'listReplayJobItems',
        permission: 'replayJobs',
        summary: 'The events of a replay job, with their outcomes',
        description: 'In the order of the job; `outcome` selects.',
      }),
    })
    .get('/:id/items/:eventId', ({ principal, params }) => replayJobs.answers(principal, params.id, params.eventId), {
      params: JobItemParams,
      response: responses({ 200: ReplayJobAnswers }, 404),
      ...operation({
        operationId: 'getReplayJobAnswers',
        permission: 'replayJobs',
        summary: 'Both answers to an event, where they differ',
        description: 'The first 64 KiB of each body, kept for 7 days. 404 for an event whose answers were the same.',
      }),
    });
