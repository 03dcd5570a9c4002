/*
 * Replay jobs: many events, sent again at a pace. The events of a job are fixed when it is created. The queues decide when each
 * is sent (features/queues); this file has the operations of the API.
 */
import { gunzipSync } from 'node:zlib';
import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { conflict, inField, invalidAt, limitReached, notFound } from '../../core/errors.ts';
import { newId, parseEventId, type RandomBytes } from '../../core/ids/ids.ts';
import { readRowCursor } from '../../core/ids/row-cursor.ts';
import { readKeptDestination, refusedDestination } from '../../core/network/destination.ts';
import { maxUnfinishedJobs } from '../../core/replay/replay-job.ts';
import { parseWhere } from '../../core/where.ts';
import type { QueueKind } from '../queues/queue.ts';
import type { QueuesService } from '../queues/service.ts';
import type {
  ReplayJob,
  ReplayJobAnswers,
  ReplayJobDryRun,
  ReplayJobInput,
  ReplayJobItemPage,
  ReplayJobItemQuery,
  ReplayJobPage,
  ReplayJobQuery,
} from './model.ts';
import { readPace } from './pace.ts';
import { createSelection, type SelectionOptions, whereOf } from './selection.ts';
import type { JobRow, ReplayJobsStore } from './store.ts';
import { pageSize, toItem, toJob, toPage } from './view.ts';
import { createJobWork, type JobSender } from './work.ts';

export type ReplayJobsService = ReturnType<typeof createReplayJobsService>;

const queueName = 'replay';
/** How many events one transaction adds to the queue: a few milliseconds of the writer's time. */
const addedTogether = 1000;
const dayMs = 24 * 3_600_000;
const jobsKeptMs = 30 * dayMs;
const unfinishedMs = 900_000;

export function createReplayJobsService(
  options: SelectionOptions & {
    store: ReplayJobsStore;
    queues: Omit<QueuesService, 'start' | 'stop' | 'idle' | 'register'>;
    /** @throws not_found */
    endpoint: (principal: TeamAccess, id: string) => Promise<{ seq: number; id: string }>;
    /** Whether the endpoint has this signing secret. */
    hasSecret: (endpoint: number, id: string) => boolean;
    send: JobSender;
    /** Why nothing may be sent to a URL; undefined if it is allowed, or if its name cannot be resolved now. */
    refusal: (url: string) => Promise<string | undefined>;
    /** Called for every settled event, and with `again` if the destination asked to wait. */
    onItem?: (outcome: string) => void;
    clock: Clock;
    random: RandomBytes;
  },
) {
  const { store, queues, endpoint: findEndpoint, hasSecret, summaries, send, refusal, onItem, clock, random } = options;

  const find = async ({ teamId }: Pick<TeamAccess, 'teamId'>, id: string): Promise<JobRow> => {
    const job = await store.find(teamId, id);
    if (!job) throw notFound('replay job');
    return job;
  };
  const toJobs = async (rows: readonly JobRow[]): Promise<ReplayJob[]> => {
    const counts = await store.counts(rows.map(({ id }) => id));
    return rows.map(row => toJob(row, counts.get(row.id) ?? {}));
  };
  const show = async (principal: Pick<TeamAccess, 'teamId'>, id: string): Promise<ReplayJob> => {
    const [job] = await toJobs([await find(principal, id)]);
    if (!job) throw notFound('replay job');
    return job;
  };

  const select = createSelection(options);

  /** The addresses of a name may change later, so each attempt checks them again. @throws invalid */
  const checkDestinations = async (dest: string, dest2: string | null): Promise<void> => {
    for (const [name, url] of Object.entries({ dest, dest2 })) {
      const reason = url === null ? undefined : await refusal(url);
      if (reason !== undefined) throw refusedDestination(name, reason);
    }
  };

  const fill = async (id: string, seqs: readonly number[], withTimes: boolean): Promise<void> => {
    for (let i = 0; i < seqs.length; i += addedTogether)
      await store.write([queues.addEventsStatement(queueName, id, seqs.slice(i, i + addedTogether), withTimes)]);
  };

  /** @throws conflict when the job is over, not_found */
  const change = async (
    principal: Pick<TeamAccess, 'teamId'>,
    id: string,
    act: (job: JobRow) => Promise<void>,
  ): Promise<ReplayJob> => {
    const job = await find(principal, id);
    if (job.state === 'done' || job.state === 'cancelled') throw conflict(`the job is over: it is ${job.state}`);
    await act(job);
    return show(principal, id);
  };
  const pause = async (id: string): Promise<void> => {
    await store.write([
      ...store.changeStateStatements(id, 'running', 'paused'),
      ...queues.pauseStatements(queueName, id),
    ]);
    queues.finish(queueName, id);
    // The job has no open events left.
    const counts = (await store.counts([id])).get(id);
    if (!counts?.waiting) await store.write(store.endStatements(id, 'done', clock.now()));
  };

  return {
    /**
     * Creates a job and starts it; with `dryRun` it only counts.
     * @throws invalid, not_found for the endpoint or the secret, conflict when a job that is not over sends to one of the
     * destinations, limit_reached; as `ContentReads.run`
     */
    async create(
      principal: MemberAccess,
      request: ReplayJobInput,
      signal?: AbortSignal,
    ): Promise<ReplayJob | ReplayJobDryRun> {
      const dest = inField(['dest'], () => readKeptDestination(request.dest));
      const { dest2: givenDest2 } = request;
      const dest2 = givenDest2 ? inField(['dest2'], () => readKeptDestination(givenDest2)) : null;
      const destinations = [dest, ...(dest2 === null ? [] : [dest2])].map(sameForAll);
      if (destinations[0] === destinations[1])
        throw invalidAt(['dest2'], 'is the same URL as dest', 'dest and dest2 are the same URL');
      readPace(request.pace ?? undefined);
      // It is parsed alone, so that it cannot close the parentheses around it.
      parseWhere(request.where ?? '');
      const where = whereOf(request);
      readIgnored(request.ignore ?? []);
      if (request.sign?.mode === 'fresh' && request.sign.newId)
        throw invalidAt(
          ['sign', 'newId'],
          'a stored secret signs only events that are not edited, and a new id is an edit: leave it out',
        );
      const endpoint = await findEndpoint(principal, request.endpointId);
      const secretId = request.sign?.secretId;
      if (secretId !== undefined && !hasSecret(endpoint.seq, secretId)) throw notFound('secret');
      const { seqs, bytes } = await select({ ...principal, signal }, request);
      if (request.dryRun) return { matched: seqs.length, bytes };
      await checkDestinations(dest, dest2);
      const { ignore = [], compareHeaders = [], sign } = request;
      const now = clock.now();
      const id = newId('job', now, random);
      const result = await store.insert(
        {
          id,
          teamId: principal.teamId,
          endpoint: endpoint.seq,
          accountId: principal.accountId,
          filter: Buffer.from(where),
          dest: Buffer.from(dest),
          dest2: dest2 === null ? null : Buffer.from(dest2),
          ignored: Buffer.from(JSON.stringify(ignore)),
          compared: Buffer.from(JSON.stringify(compareHeaders)),
          pace: request.pace ?? null,
          concurrency: request.concurrency ?? 1,
          per: request.per ?? 'event',
          skipOk: request.skipOk ?? false,
          stopAfter: request.stopAfter ?? null,
          sign: sign?.mode === 'fresh' ? { ...sign, mode: 'fresh' } : null,
          state: 'running',
          matched: null,
          bytes: 0,
          createdAt: now,
        },
        destinations,
        // The queue is paused until all events are in it.
        [...queues.createQueueStatements(queueName, id, principal.teamId), ...queues.pauseStatements(queueName, id)],
      );
      if (result === 'too_many')
        throw limitReached(
          `a team has at most ${maxUnfinishedJobs} jobs that are not over: wait for one or cancel one`,
        );
      if (result === 'taken')
        throw conflict('a job that is not over sends to this destination: wait for it, resume it or cancel it');
      try {
        await fill(id, seqs, request.pace?.startsWith('original') ?? false);
      } catch (error) {
        await store.write([...queues.removeQueueStatements(queueName, id), store.removeStatement(id)]).catch(() => {});
        throw error;
      }
      await store.write([
        store.saveEventsStatement(id, seqs.length, bytes),
        ...(seqs.length === 0 ? store.endStatements(id, 'done', clock.now()) : []),
        ...queues.resumeStatements(queueName, id),
        ...queues.wakeStatements(queueName, id),
      ]);
      queues.wake(queueName, id);
      return show(principal, id);
    },

    async list(principal: TeamAccess, { endpointId, cursor, limit }: ReplayJobQuery): Promise<ReplayJobPage> {
      const size = pageSize(limit);
      const before = readRowCursor(cursor);
      const rows = await store.list(principal.teamId, { endpointId, before, limit: size + 1 });
      const { shown, nextCursor } = toPage(rows, size);
      return { jobs: await toJobs(shown), nextCursor };
    },

    job: show,

    pause: (principal: TeamAccess, id: string): Promise<ReplayJob> => change(principal, id, () => pause(id)),

    resume: (principal: TeamAccess, id: string): Promise<ReplayJob> =>
      change(principal, id, async () => {
        const failed = (await store.counts([id])).get(id)?.failed ?? 0;
        await store.write([
          ...store.changeStateStatements(id, 'paused', 'running'),
          store.saveResumeStatement(id, failed),
          ...queues.resumeStatements(queueName, id),
          // The queue becomes due even if all its events were settled during the pause: the runner then finishes the job.
          ...queues.wakeStatements(queueName, id),
        ]);
        queues.wake(queueName, id);
      }),

    /** Running requests are aborted; their events stay waiting. */
    cancel: (principal: TeamAccess, id: string): Promise<ReplayJob> =>
      change(principal, id, async () => {
        await store.write([
          ...store.endStatements(id, 'cancelled', clock.now()),
          ...queues.pauseStatements(queueName, id),
        ]);
        queues.abort(queueName, id);
      }),

    async items(
      principal: MemberAccess,
      id: string,
      { outcome, cursor, limit }: ReplayJobItemQuery,
    ): Promise<ReplayJobItemPage> {
      const { endpointId } = await find(principal, id);
      const size = pageSize(limit);
      const rows = await store.items(id, { outcome, after: readRowCursor(cursor) ?? 0, limit: size + 1 });
      const { shown, nextCursor } = toPage(rows, size);
      const seqs = shown.flatMap(({ event }) => (event === null ? [] : [event]));
      const events = new Map((await summaries(principal, endpointId, seqs)).map(event => [event.id, event]));
      return { items: shown.map(row => toItem(row, events)), nextCursor };
    },

    /** Both responses to an event whose responses differed. They are kept for 7 days. @throws not_found */
    async answers(principal: TeamAccess, id: string, event: string): Promise<ReplayJobAnswers> {
      await find(principal, id);
      const found = await store.answers(id, parseEventId(event)?.seq ?? 0, clock.now());
      if (!found) throw notFound('answers of this event');
      return JSON.parse(gunzipSync(found).toString('utf8')) as ReplayJobAnswers;
    },

    /** The kind of queue for jobs, for the runner. */
    queueKind: {
      async open(id) {
        const job = await store.open(id);
        if (!job) return undefined;
        const failed = (await store.counts([id])).get(id)?.failed ?? 0;
        return createJobWork(job, failed, { store, send, clock, onTooManyFailures: pause, onItem });
      },
      onEmpty: async id => void (await store.write(store.endStatements(id, 'done', clock.now()))),
    } satisfies QueueKind,

    sweep: (): Promise<void> => {
      const now = clock.now();
      return store.sweep(now, now - jobsKeptMs, now - unfinishedMs);
    },

    /**
     * Call it at the start of the only process on a database: it removes jobs whose creation was killed, which would otherwise
     * keep their destinations.
     */
    removeUnfinished: (): Promise<void> => {
      const now = clock.now();
      return store.sweep(now, now - jobsKeptMs, Number.MAX_SAFE_INTEGER);
    },
  };
}

/** Refuses texts that cannot be the path of a difference, because they would have no effect. @throws invalid */
function readIgnored(paths: readonly string[]): void {
  const wrong = paths.findIndex(path => !/^(?:status$|header\.|body(?:$|[.[]))/.test(path));
  if (wrong >= 0) throw invalidAt(['ignore', wrong], 'a path is status, header.x or body.a.b');
}

/** `http://a` and `HTTP://a:80/#x` are one destination. */
function sameForAll(destination: string): string {
  const url = new URL(destination);
  url.hash = '';
  return url.href;
}
