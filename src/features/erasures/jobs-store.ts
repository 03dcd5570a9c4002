/*
 * The jobs of erasures and of applied rules, and what is left for them to do. Raw SQL, because targets are passed as JSON lists, and
 * conditions and changes must be one statement.
 */
import type { Client, InStatement } from '@libsql/client';
import { asBuffer } from '../../core/encoding/buffer.ts';
import { createRawReader } from '../../db/raw-rows.ts';

export type JobState = 'searching' | 'deleting' | 'done' | 'failed';
export type FoundEndpoint = { id: string; name: string; events: number; pinned: number };
/** Who asked; null: the operator. */
export type JobActor = { id: string; email: string; via: 'dashboard' | 'api' } | null;

/** `endpoint`: whose rules are applied; null for an erasure. `files`: names of files to delete. */
export type JobRow = {
  seq: number;
  id: string;
  teamId: string;
  endpoint: number | null;
  state: JobState;
  dryRun: boolean;
  actor: JobActor;
  textHash: string | null;
  found: FoundEndpoint[];
  files: string[];
  changed: number;
  createdAt: number;
  finishedAt: number | null;
};
export type NewJob = Pick<JobRow, 'id' | 'teamId' | 'endpoint' | 'dryRun' | 'actor' | 'textHash' | 'createdAt'>;

export const targetKinds = { event: 1, block: 2 } as const;
export type TargetKind = keyof typeof targetKinds;

export type JobsStore = ReturnType<typeof createJobsStore>;

const columns =
  'seq, id, team_id, endpoint, state, dry_run, actor, text_hash, found, files, changed, created_at, finished_at';
const isUnfinished = "state IN ('searching', 'deleting')";
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const parse = <T>(value: Uint8Array): T => JSON.parse(asBuffer(value).toString()) as T;

type StoredJob = Omit<JobRow, 'dryRun' | 'actor' | 'found' | 'files'> & { dryRun: number } & Record<
    'actor' | 'found' | 'files',
    Uint8Array
  >;
const toJob = ({ dryRun, actor, found, files, ...job }: StoredJob): JobRow => ({
  ...job,
  dryRun: dryRun === 1,
  actor: parse<JobActor>(actor),
  found: parse<FoundEndpoint[]>(found),
  files: parse<string[]>(files),
});

/** @param holder the name of this process, which works on the jobs that it creates */
export function createJobsStore(client: Pick<Client, 'execute' | 'batch'>, holder: string) {
  const { objects, numbers } = createRawReader(client);
  const one = async (where: string, args: string[]): Promise<JobRow | undefined> =>
    (await objects<StoredJob>(`SELECT ${columns} FROM erasures WHERE ${where}`, args)).map(toJob)[0];

  return {
    /** @returns false if the team has an unfinished job. Removes finished jobs from before `keepSince`. */
    async insert(job: NewJob, keepSince: number): Promise<boolean> {
      const { id, teamId, endpoint, textHash, createdAt } = job;
      const [, inserted] = await client.batch(
        [
          { sql: `DELETE FROM erasures WHERE NOT ${isUnfinished} AND created_at < ?`, args: [keepSince] },
          {
            sql: `INSERT OR IGNORE INTO erasures (id, team_id, endpoint, state, dry_run, actor, text_hash, found, holder, created_at)
                  VALUES (?, ?, ?, 'searching', ?, ?, ?, x'5B5D', ?, ?)`,
            args: [id, teamId, endpoint, Number(job.dryRun), json(job.actor), textHash, holder, createdAt],
          },
        ],
        'write',
      );
      return inserted?.rowsAffected === 1;
    },

    find: (teamId: string, id: string): Promise<JobRow | undefined> => one('team_id = ? AND id = ?', [teamId, id]),
    byId: (id: string): Promise<JobRow | undefined> => one('id = ?', [id]),

    /** Unfinished jobs of other processes, with their signs of life. */
    async othersUnfinished(): Promise<{ job: JobRow; beats: number; holder: string }[]> {
      const sql = `SELECT ${columns}, beats, holder FROM erasures WHERE ${isUnfinished} AND holder <> ? ORDER BY seq`;
      const found = await objects<StoredJob & { beats: number; holder: string }>(sql, [holder]);
      return found.map(({ beats, holder, ...job }) => ({ job: toJob(job), beats, holder }));
    },

    /** Takes a job over, unless its process has shown a sign of life. @returns whether it did */
    async takeOver({ job, beats, holder: from }: { job: JobRow; beats: number; holder: string }): Promise<boolean> {
      const { rowsAffected } = await client.execute({
        sql: 'UPDATE erasures SET holder = ?, beats = beats + 1 WHERE seq = ? AND holder = ? AND beats = ?',
        args: [holder, job.seq, from, beats],
      });
      return rowsAffected === 1;
    },

    /** A sign of life for all jobs of this process. */
    async beat(): Promise<void> {
      await client.execute({
        sql: `UPDATE erasures SET beats = beats + 1 WHERE ${isUnfinished} AND holder = ?`,
        args: [holder],
      });
    },

    /** What was found becomes what must be deleted, in one transaction with `also`. */
    async beginDeleting(
      { seq }: Pick<JobRow, 'seq'>,
      plan: Pick<JobRow, 'found' | 'files'> & {
        targets: Record<TargetKind, readonly number[]>;
        guids: readonly Uint8Array[];
        guidsExpireAt: number;
      },
      also: readonly InStatement[],
    ): Promise<void> {
      const kinds = Object.keys(targetKinds) as TargetKind[];
      await client.batch(
        [
          {
            sql: "UPDATE erasures SET state = 'deleting', found = ?, files = ? WHERE seq = ?",
            args: [json(plan.found), json(plan.files), seq],
          },
          ...kinds.map(kind => ({
            sql: 'INSERT OR IGNORE INTO erasure_targets (job, kind, target) SELECT ?, ?, value FROM json_each(?)',
            args: [seq, targetKinds[kind], JSON.stringify(plan.targets[kind])],
          })),
          ...plan.guids.map(hash => ({
            sql: 'INSERT OR REPLACE INTO erased_deliveries (hash, expires_at) VALUES (?, ?)',
            args: [hash, plan.guidsExpireAt],
          })),
          ...also,
        ],
        'write',
      );
    },

    /** @param found of a dry run, whose job is not yet stored with it */
    async finish(
      { seq }: Pick<JobRow, 'seq'>,
      end: { state: 'done' | 'failed'; at: number; found?: readonly FoundEndpoint[] },
    ): Promise<void> {
      await client.batch(
        [
          {
            sql: 'UPDATE erasures SET state = ?, finished_at = ?, found = ifnull(?, found) WHERE seq = ?',
            args: [end.state, end.at, end.found ? json(end.found) : null, seq],
          },
          { sql: 'DELETE FROM erasure_targets WHERE job = ?', args: [seq] },
        ],
        'write',
      );
    },

    /** The next things to do. */
    targets: ({ seq }: Pick<JobRow, 'seq'>, kind: TargetKind, limit: number): Promise<number[]> =>
      numbers('SELECT target FROM erasure_targets WHERE job = ? AND kind = ? ORDER BY target LIMIT ?', [
        seq,
        targetKinds[kind],
        limit,
      ]),

    /** Which of these GUIDs, by their hashes, belong to erased deliveries. */
    async erased(hashes: readonly Uint8Array[], now: number): Promise<Set<string>> {
      const { rows } = await client.execute({
        sql: `SELECT hash FROM erased_deliveries WHERE expires_at > ? AND hash IN (${hashes.map(() => '?').join(', ')})`,
        args: [now, ...hashes],
      });
      return new Set(rows.map(row => Buffer.from(row[0] as ArrayBuffer).toString('hex')));
    },

    async removeExpired(now: number): Promise<void> {
      await client.execute({ sql: 'DELETE FROM erased_deliveries WHERE expires_at <= ?', args: [now] });
    },
  };
}

/** These things are done. */
export const doneStatement = (job: number, kind: TargetKind, targets: readonly number[]): InStatement => ({
  sql: 'DELETE FROM erasure_targets WHERE job = ? AND kind = ? AND target IN (SELECT value FROM json_each(?))',
  args: [job, targetKinds[kind], JSON.stringify(targets)],
});

/** The blocks of these events have to be written again. Runs in the transaction that changes the events, before it does. */
export const blocksStatement = (job: number, events: readonly number[]): InStatement => ({
  sql: `INSERT OR IGNORE INTO erasure_targets (job, kind, target)
        SELECT ?, ?, block FROM events WHERE seq IN (SELECT value FROM json_each(?)) AND block IS NOT NULL`,
  args: [job, targetKinds.block, JSON.stringify(events)],
});
