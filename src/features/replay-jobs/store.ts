/* Replay jobs: their rows, and the destinations that they have for themselves. */
import type { InStatement } from '@libsql/client';
import { and, count, desc, eq, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import type { ReplayJobState } from '../../core/replay-job.ts';
import type { Database } from '../../db/database.ts';
import { accounts, endpoints, teams } from '../../db/schema.ts';
import { jobAnswers, jobDestinations, queues, replayJobs } from '../../db/schema-queues.ts';
import { toClientStatement } from '../../db/sql-fragments.ts';
import { isUniqueViolation } from '../../db/unique-violation.ts';
import { createJobItemsStore, jobQueue } from './items-store.ts';

type Row = typeof replayJobs.$inferSelect;
export type NewJobRow = Omit<Row, 'seq' | 'failedAtResume' | 'finishedAt'>;
export type JobRow = Row & { endpointId: string };
export type ReplayJobsStore = ReturnType<typeof createReplayJobsStore>;

export function createReplayJobsStore({ db, client }: Pick<Database, 'db' | 'client'>) {
  const shown = { job: replayJobs, endpointId: endpoints.id };
  const ofTeam = (teamId: string) => and(eq(replayJobs.teamId, teamId), isNotNull(replayJobs.matched));
  const toRow = ({ job, endpointId }: { job: Row; endpointId: string }): JobRow => ({ ...job, endpointId });
  const selectJobs = () =>
    db
      .select(shown)
      .from(replayJobs)
      .innerJoin(endpoints, and(eq(endpoints.seq, replayJobs.endpoint), isNull(endpoints.deletedAt)));

  const { removeItems, ...items } = createJobItemsStore(db);

  return {
    ...items,

    /** Creates the job. @param destinations that it has for itself @returns false when a job of the team that is not over has one of its destinations */
    async insert(row: NewJobRow, destinations: readonly string[], others: readonly InStatement[]): Promise<boolean> {
      const { teamId, id: job } = row;
      const taken = destinations.map(dest => ({ teamId, dest: Buffer.from(dest), job }));
      const statements = [db.insert(replayJobs).values(row), db.insert(jobDestinations).values(taken)];
      try {
        await client.batch([...statements.map(toClientStatement), ...others], 'write');
        return true;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    },

    /** The events are all in the queue. */
    ready: (id: string, matched: number, bytes: number): InStatement =>
      toClientStatement(db.update(replayJobs).set({ matched, bytes }).where(eq(replayJobs.id, id))),

    remove: (id: string): InStatement => toClientStatement(db.delete(replayJobs).where(eq(replayJobs.id, id))),

    write: (statements: readonly InStatement[]) => client.batch([...statements], 'write'),

    find: async (teamId: string, id: string): Promise<JobRow | undefined> =>
      (await selectJobs().where(and(ofTeam(teamId), eq(replayJobs.id, id)))).map(toRow)[0],

    /** For the runner, with whom the job belongs to. */
    async open(id: string) {
      const [found] = await db
        .select({ ...shown, plan: teams.plan, account: accounts.id })
        .from(replayJobs)
        .innerJoin(endpoints, and(eq(endpoints.seq, replayJobs.endpoint), isNull(endpoints.deletedAt)))
        .innerJoin(teams, eq(teams.id, replayJobs.teamId))
        .leftJoin(accounts, eq(accounts.id, replayJobs.accountId))
        .where(and(eq(replayJobs.id, id), isNotNull(replayJobs.matched)));
      return found && { ...toRow(found), plan: found.plan };
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
    pausing: (id: string, from: ReplayJobState, to: ReplayJobState): InStatement[] => [
      toClientStatement(
        db
          .update(replayJobs)
          .set({ state: to })
          .where(and(eq(replayJobs.id, id), eq(replayJobs.state, from))),
      ),
    ],
    /** Statements that end the job, unless it is over, and free its destinations. */
    ending: (id: string, to: 'done' | 'cancelled', finishedAt: number): InStatement[] => [
      toClientStatement(
        db
          .update(replayJobs)
          .set({ state: to, finishedAt })
          .where(and(eq(replayJobs.id, id), inArray(replayJobs.state, ['running', 'paused']))),
      ),
      toClientStatement(db.delete(jobDestinations).where(eq(jobDestinations.job, id))),
    ],

    /** From here on, failures count anew for `stopAfter`. */
    noteResume: (id: string, failed: number): InStatement =>
      toClientStatement(db.update(replayJobs).set({ failedAtResume: failed }).where(eq(replayJobs.id, id))),

    /** How many jobs of all teams are in a state. */
    countIn: async (state: ReplayJobState): Promise<number> =>
      (await db.select({ jobs: count() }).from(replayJobs).where(eq(replayJobs.state, state)))[0]?.jobs ?? 0,

    /** Removes answers whose time is over, jobs that ended long ago, and some that a kill left without their events. */
    async sweep(now: number, endedBefore: number, unfinishedBefore: number): Promise<void> {
      const old = db
        .select({ id: replayJobs.id })
        .from(replayJobs)
        .where(
          or(
            lt(replayJobs.finishedAt, endedBefore),
            and(isNull(replayJobs.matched), lt(replayJobs.createdAt, unfinishedBefore)),
          ),
        );
      await removeItems(sql`SELECT seq FROM queues WHERE kind = ${jobQueue} AND owner IN ${old}`);
      await db.batch([
        db.delete(jobAnswers).where(lt(jobAnswers.until, now)),
        db.delete(queues).where(and(eq(queues.kind, jobQueue), sql`${queues.owner} IN ${old}`)),
        db.delete(replayJobs).where(sql`${replayJobs.id} IN ${old}`),
      ]);
    },
  };
}
