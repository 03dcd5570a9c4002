/*
 * Replay jobs: their rows, the destinations that they reserve, and the responses that differed. Items belong to the queues
 * (features/queues/store.ts), and this file only reads them.
 */
import type { InStatement } from '@libsql/client';
import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, lt, or, sql, sum } from 'drizzle-orm';
import { pick } from '../../core/pick.ts';
import {
  type JobOutcome,
  maxFinishedJobs,
  maxUnfinishedJobs,
  type ReplayJobState,
} from '../../core/replay/replay-job.ts';
import { requireNoRowStatement, writeIfUnchanged } from '../../db/compare-and-set.ts';
import type { Database, Drizzle } from '../../db/database.ts';
import { removeQueues } from '../../db/remove-queues.ts';
import { accounts, endpoints, events, replays, teams } from '../../db/schema.ts';
import { jobAnswers, jobDestinations, queueItems, queues, replayJobs } from '../../db/schema-queues.ts';
import { inList, toClientStatement, updateStatement } from '../../db/sql-fragments.ts';
import { isUniqueViolation } from '../../db/unique-violation.ts';

type Row = typeof replayJobs.$inferSelect;
export type NewJobRow = Omit<Row, 'seq' | 'failedAtResume' | 'finishedAt'>;
/** `startedBy`: an email address. */
export type JobRow = Row & { endpointId: string; startedBy: string | null };
export type ReplayJobsStore = ReturnType<typeof createReplayJobsStore>;

const jobQueue = 'replay';

/** How many items have each outcome; unsettled items are left out. */
export type Counts = Partial<Record<JobOutcome, number>>;
const itemColumns = pick(queueItems, 'seq', 'event', 'nonce', 'outcome', 'status', 'error', 'detail');
export type ItemRow = Pick<typeof queueItems.$inferSelect, keyof typeof itemColumns>;

/** The outcomes of the events of jobs. */
function createJobItems(db: Drizzle) {
  const inQueue = (id: string) => and(eq(queues.kind, jobQueue), eq(queues.owner, id));

  return {
    /** The size of these events' bodies. */
    async bytesOf(seqs: readonly number[]): Promise<number> {
      const [found] = await db
        .select({ bytes: sum(events.size) })
        .from(events)
        .where(inList(events.seq, seqs));
      return Number(found?.bytes ?? 0);
    },

    async counts(ids: readonly string[]): Promise<Map<string, Counts>> {
      const rows = await db
        .select({ owner: queues.owner, outcome: queueItems.outcome, items: count() })
        .from(queues)
        .innerJoin(queueItems, eq(queueItems.queue, queues.seq))
        .where(and(eq(queues.kind, jobQueue), inList(queues.owner, ids)))
        .groupBy(queues.owner, queueItems.outcome);
      const found = new Map<string, Counts>();
      for (const { owner, outcome, items } of rows)
        found.set(owner, { ...found.get(owner), [(outcome ?? 'waiting') as JobOutcome]: items });
      return found;
    },

    items: (
      id: string,
      { outcome, after, limit }: { outcome: JobOutcome | undefined; after: number; limit: number },
    ): Promise<ItemRow[]> =>
      db
        .select(itemColumns)
        .from(queueItems)
        .innerJoin(queues, eq(queues.seq, queueItems.queue))
        .where(
          and(
            inQueue(id),
            gt(queueItems.seq, after),
            outcome === undefined
              ? undefined
              : outcome === 'waiting'
                ? isNull(queueItems.outcome)
                : eq(queueItems.outcome, outcome),
          ),
        )
        .orderBy(asc(queueItems.seq))
        .limit(limit),

    /** The responses of both destinations to an event. */
    async answers(id: string, event: number, now: number): Promise<Buffer | undefined> {
      const [found] = await db
        .select({ content: jobAnswers.content })
        .from(jobAnswers)
        .innerJoin(queueItems, eq(queueItems.seq, jobAnswers.item))
        .innerJoin(queues, eq(queues.seq, queueItems.queue))
        .where(and(inQueue(id), eq(queueItems.event, event), gt(jobAnswers.until, now)));
      return found?.content;
    },

    /** The number of waiting events of running jobs. */
    async waiting(): Promise<number> {
      const [found] = await db
        .select({ items: count() })
        .from(queueItems)
        .innerJoin(queues, eq(queues.seq, queueItems.queue))
        .where(and(eq(queues.kind, jobQueue), isNull(queues.pausedAt), isNull(queueItems.outcome)));
      return found?.items ?? 0;
    },

    keepAnswersStatement: (item: number, content: Uint8Array, until: number): InStatement =>
      toClientStatement(
        db
          .insert(jobAnswers)
          .values({ item, content: Buffer.from(content), until })
          .onConflictDoUpdate({ target: jobAnswers.item, set: { content: Buffer.from(content), until } }),
      ),

    /** Whether the destination has accepted this event with a 2xx response. */
    async wasAccepted(event: number, destination: string): Promise<boolean> {
      const isAcceptance = and(eq(replays.event, event), eq(replays.destination, destination), eq(replays.ok, true));
      return (await db.select({ seq: replays.seq }).from(replays).where(isAcceptance).limit(1)).length > 0;
    },
  };
}

export function createReplayJobsStore({ db, client }: Pick<Database, 'db' | 'client'>) {
  const shown = { job: replayJobs, endpointId: endpoints.id, startedBy: accounts.email };
  const ofTeam = (teamId: string) => and(eq(replayJobs.teamId, teamId), isNotNull(replayJobs.matched));
  const toRow = ({ job, ...others }: { job: Row } & Pick<JobRow, 'endpointId' | 'startedBy'>): JobRow => ({
    ...job,
    ...others,
  });
  const selectJobs = () =>
    db
      .select(shown)
      .from(replayJobs)
      .innerJoin(endpoints, and(eq(endpoints.seq, replayJobs.endpoint), isNull(endpoints.deletedAt)))
      .leftJoin(accounts, eq(accounts.id, replayJobs.accountId));

  return {
    ...createJobItems(db),

    /**
     * Creates the job, and reserves its destinations, which no other unfinished job may have.
     * @returns taken if a job of the team has one of them; too_many if the team has `maxUnfinishedJobs` jobs
     */
    async insert(
      row: NewJobRow,
      destinations: readonly string[],
      others: readonly InStatement[],
    ): Promise<'created' | 'taken' | 'too_many'> {
      const { teamId, id: job } = row;
      const taken = destinations.map(dest => ({ teamId, dest: Buffer.from(dest), job }));
      const ofDeleted = db
        .select({ id: replayJobs.id })
        .from(replayJobs)
        .innerJoin(endpoints, and(eq(endpoints.seq, replayJobs.endpoint), isNotNull(endpoints.deletedAt)))
        .where(eq(replayJobs.teamId, teamId));
      const statements = [
        // These jobs belong to deleted endpoints, so no request can see or end them.
        db
          .delete(jobDestinations)
          .where(and(eq(jobDestinations.teamId, teamId), inArray(jobDestinations.job, ofDeleted))),
        db.insert(replayJobs).values(row),
        db.insert(jobDestinations).values(taken),
      ];
      const beyondLimit = db
        .select({ seq: replayJobs.seq })
        .from(replayJobs)
        .innerJoin(endpoints, and(eq(endpoints.seq, replayJobs.endpoint), isNull(endpoints.deletedAt)))
        .where(and(eq(replayJobs.teamId, teamId), isNull(replayJobs.finishedAt)))
        .limit(1)
        .offset(maxUnfinishedJobs);
      const isWithinLimit = requireNoRowStatement(toClientStatement(beyondLimit));
      try {
        const all = [...statements.map(toClientStatement), isWithinLimit, ...others];
        return (await writeIfUnchanged(client, all)) ? 'created' : 'too_many';
      } catch (error) {
        if (isUniqueViolation(error)) return 'taken';
        throw error;
      }
    },

    /** A statement that starts the job: all its events are in the queue. */
    saveEventsStatement: (id: string, matched: number, bytes: number): InStatement =>
      toClientStatement(db.update(replayJobs).set({ matched, bytes }).where(eq(replayJobs.id, id))),

    removeStatement: (id: string): InStatement => toClientStatement(db.delete(replayJobs).where(eq(replayJobs.id, id))),

    write: (statements: readonly InStatement[]) => client.batch([...statements], 'write'),

    find: async (teamId: string, id: string): Promise<JobRow | undefined> =>
      (await selectJobs().where(and(ofTeam(teamId), eq(replayJobs.id, id)))).map(toRow)[0],

    /** The job with its owner, for the runner. */
    async open(id: string) {
      const [found] = await db
        .select({ ...shown, plan: teams.plan })
        .from(replayJobs)
        .innerJoin(endpoints, and(eq(endpoints.seq, replayJobs.endpoint), isNull(endpoints.deletedAt)))
        .innerJoin(teams, eq(teams.id, replayJobs.teamId))
        .leftJoin(accounts, eq(accounts.id, replayJobs.accountId))
        .where(and(eq(replayJobs.id, id), isNotNull(replayJobs.matched)));
      if (!found) return undefined;
      const { plan, ...job } = found;
      return { ...toRow(job), plan };
    },

    list: async (
      teamId: string,
      { endpointId, before, limit }: { endpointId: string | undefined; before: number | undefined; limit: number },
    ): Promise<JobRow[]> =>
      (
        await selectJobs()
          .where(
            and(
              ofTeam(teamId),
              endpointId === undefined ? undefined : eq(endpoints.id, endpointId),
              before === undefined ? undefined : lt(replayJobs.seq, before),
            ),
          )
          .orderBy(desc(replayJobs.seq))
          .limit(limit)
      ).map(toRow),

    /** Statements that change the state. @param from the states in which it may */
    changeStateStatements: (id: string, from: ReplayJobState, to: ReplayJobState): InStatement[] => [
      updateStatement(db, replayJobs, { state: to }, eq(replayJobs.id, id), eq(replayJobs.state, from)),
    ],
    /** Statements that end the job, unless it is over, and free its destinations. */
    endStatements: (id: string, to: 'done' | 'cancelled', finishedAt: number): InStatement[] => [
      updateStatement(
        db,
        replayJobs,
        { state: to, finishedAt },
        eq(replayJobs.id, id),
        inArray(replayJobs.state, ['running', 'paused']),
      ),
      toClientStatement(db.delete(jobDestinations).where(eq(jobDestinations.job, id))),
    ],

    /** Restarts the count of failures for `stopAfter`. */
    saveResumeStatement: (id: string, failed: number): InStatement =>
      toClientStatement(db.update(replayJobs).set({ failedAtResume: failed }).where(eq(replayJobs.id, id))),

    /** The number of jobs of all teams in a state. */
    countIn: (state: ReplayJobState): Promise<number> => db.$count(replayJobs, eq(replayJobs.state, state)),

    /**
     * Removes expired responses, jobs that ended long ago or have many newer ones, and jobs that a kill left without their
     * events.
     */
    async sweep(now: number, endedBefore: number, unfinishedBefore: number): Promise<void> {
      const old = db
        .select({ id: replayJobs.id })
        .from(replayJobs)
        .where(
          or(
            lt(replayJobs.finishedAt, endedBefore),
            sql`${replayJobs.id} IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY team_id ORDER BY seq DESC) AS place
              FROM replay_jobs WHERE finished_at IS NOT NULL) WHERE place > ${maxFinishedJobs})`,
            and(isNull(replayJobs.matched), lt(replayJobs.createdAt, unfinishedBefore)),
          ),
        );
      await removeQueues(db, sql`SELECT seq FROM queues WHERE kind = ${jobQueue} AND owner IN ${old}`);
      await db.batch([
        db.delete(jobAnswers).where(lt(jobAnswers.until, now)),
        db.delete(replayJobs).where(sql`${replayJobs.id} IN ${old}`),
      ]);
      // The jobs of these queues were removed with their endpoint.
      const all = sql`SELECT id FROM replay_jobs`;
      await removeQueues(db, sql`SELECT seq FROM queues WHERE kind = ${jobQueue} AND owner NOT IN (${all})`);
    },
  };
}
