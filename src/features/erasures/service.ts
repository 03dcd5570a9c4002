/*
 * Erasures: deletes every event of a team that has a text, and makes the text vanish from the disk and from backups. The text is only in
 * memory: a job that has not found everything when the process ends has failed, and nothing is deleted. From then on the job knows
 * what to delete without the text, and goes on after a restart. One job of a server works at a time.
 */

import { setTimeout } from 'node:timers/promises';
import type { InStatement } from '@libsql/client';
import type { AuditAbout, AuditTarget, AuditVia } from '../../core/access/audit-actions.ts';
import type { Principal } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { createTextMatcher } from '../../core/erasure/text-matcher.ts';
import { AppError, conflict, forbidden, invalidAt, notFound } from '../../core/errors.ts';
import { newId, type RandomBytes } from '../../core/ids/ids.ts';
import { pick } from '../../core/pick.ts';
import { maxErasedCharacters, maxErasedGuids, minErasedCharacters } from '../../shared/limits.ts';
import type { ContentsStore } from './contents-store.ts';
import type { ErasureHashes } from './hashes.ts';
import type { JobActor, JobRow, JobsStore } from './jobs-store.ts';
import type { KeptStore } from './kept-store.ts';
import type { Erasure, ErasureInput } from './model.ts';
import { findInContents, forgetKept, hasText, type TextSearch } from './search.ts';

/** A request answers with the job after this time. */
const answerAfterMs = 5000;
const retryMs = 30_000;
const keptJobsMs = 30 * 86_400_000;
const keptGuidsMs = 7 * 86_400_000;
const removedTogether = 200;
const beatMs = 10_000;
const isBusy = 'another erasure of the team is not done yet';
const nothingFound = { found: [], files: [], targets: { event: [], block: [] }, guids: [], guidsExpireAt: 0 };
/** Another process takes a job over if it has shown no sign of life in this many looks. */
const looksBeforeTakeOver = 5;

export type Member = Pick<Principal, 'teamId' | 'accountId' | 'email' | 'role' | 'credential'>;

export type ErasuresService = ReturnType<typeof createErasuresService>;

export type ErasuresOptions = {
  jobs: JobsStore;
  contents: ContentsStore;
  kept: KeptStore;
  hashes: ErasureHashes;
  /** Files beside the database that have deliveries. */
  setAside: { names: () => string[]; read: (name: string) => Uint8Array; remove: (name: string) => void };
  /** Writes a block again without what was deleted. @returns false if it is damaged */
  rewriteBlock: (block: number) => Promise<boolean>;
  /** The statement that makes the block of an event be written again. */
  rewriteLater: (job: number, event: number) => InStatement;
  forgetInSchema: (shape: Uint8Array, hasText: (text: string) => boolean) => Uint8Array | undefined;
  /** Called when schemas were changed. */
  onSchemasChanged: () => void;
  /** Called after events were deleted. */
  onRemoved: () => void;
  /** Removes what was deleted from the disk; undefined for a libSQL server. */
  purge: (() => Promise<void>) | undefined;
  /** Resolves once no backup has what was deleted. Undefined without backups. */
  forgetBackups: (() => Promise<void>) | undefined;
  record: (line: {
    teamId: string;
    actor: { id: string; email: string } | null;
    via: AuditVia;
    action: string;
    target: AuditTarget;
    about: AuditAbout;
  }) => Promise<void>;
  createSlices: () => YieldIfDue;
  clock: Clock;
  random: RandomBytes;
  isShared: boolean;
  onError: (error: unknown, fields: Record<string, unknown>) => void;
};

export function createErasuresService(options: ErasuresOptions) {
  const { jobs, contents, hashes, setAside, clock, random, onError } = options;
  const stopping = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  const working = new Set<Promise<unknown>>();

  /** One after another. */
  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.catch(() => {}).then(work);
    last = next;
    const tracked = next.catch(() => {}).finally(() => working.delete(tracked));
    working.add(tracked);
    return next;
  };

  const search = async (job: JobRow, text: string): Promise<JobRow['state']> => {
    const { teamId } = job;
    const search: TextSearch = {
      matches: createTextMatcher(text, hashes.redacted(teamId, text)),
      yieldIfDue: options.createSlices(),
      signal: stopping.signal,
    };
    const endpoints = await contents.endpoints(teamId);
    const found = await findInContents(contents, endpoints, search);
    const { found: byEndpoint, stored } = await contents.count(endpoints, [...found.events]);
    if (job.dryRun) {
      await jobs.finish(job, { state: 'done', at: clock.now(), found: byEndpoint });
      return 'done';
    }
    const files: string[] = [];
    for (const name of setAside.names()) if (await hasText(setAside.read(name), search)) files.push(name);
    const also = await forgetKept(options.kept, teamId, search, options.forgetInSchema);
    const ids = new Map(endpoints.map(({ seq, id }) => [seq, id]));
    await jobs.beginDeleting(
      job,
      {
        found: byEndpoint,
        files,
        targets: { event: stored, block: [...found.blocks] },
        guids: found.guids.map(({ endpoint, guid }) => hashes.delivery(ids.get(endpoint) ?? '', guid)),
        guidsExpireAt: clock.now() + keptGuidsMs,
      },
      also,
    );
    options.onSchemasChanged();
    return 'deleting';
  };

  const removeAll = async (job: JobRow): Promise<void> => {
    for (;;) {
      stopping.signal.throwIfAborted();
      const events = await jobs.targets(job, 'event', removedTogether);
      if (events.length === 0) break;
      await contents.remove(job, events);
    }
    for (;;) {
      stopping.signal.throwIfAborted();
      const blocks = await jobs.targets(job, 'block', 1);
      const [block] = blocks;
      if (block === undefined) break;
      if (!(await options.rewriteBlock(block)))
        onError(new Error('a damaged block could not be rewritten'), { job: job.id, block });
      await contents.done(job, 'block', blocks);
    }
    for (const name of job.files) setAside.remove(name);
    options.onRemoved();
  };

  /** Deletes what was found. Tries again until it succeeds or the process ends. */
  const finish = async (job: JobRow): Promise<void> => {
    for (;;) {
      try {
        await removeAll(job);
        await options.purge?.();
        await options.forgetBackups?.();
        break;
      } catch (error) {
        if (stopping.signal.aborted) throw error;
        onError(error, { job: job.id });
        await pause(retryMs, stopping.signal);
        stopping.signal.throwIfAborted();
      }
    }
    await jobs.finish(job, { state: 'done', at: clock.now() });
    if (job.endpoint !== null) return;
    await options.record({
      teamId: job.teamId,
      actor: job.actor && { id: job.actor.id, email: job.actor.email },
      via: job.actor?.via ?? 'command',
      action: 'erasure.done',
      target: { type: 'erasure', id: job.id },
      about: {
        endpointId: undefined,
        details: { name: job.textHash ?? '', events: job.found.reduce((sum, { events }) => sum + events, 0) },
      },
    });
  };

  const run = async (job: JobRow, text: string): Promise<void> => {
    let state: JobRow['state'] = 'failed';
    try {
      state = await search(job, text);
    } catch (error) {
      if (!stopping.signal.aborted) {
        onError(error, { job: job.id });
        await jobs.finish(job, { state: 'failed', at: clock.now() });
      }
      throw error;
    }
    const found = await jobs.byId(job.id);
    if (state === 'deleting' && found) await finish(found);
  };

  const resume = (job: JobRow): void => {
    if (job.state === 'searching')
      enqueue(() => jobs.finish(job, { state: 'failed', at: clock.now() })).catch(error =>
        onError(error, { job: job.id }),
      );
    else
      enqueue(() => finish(job)).catch(error => {
        if (!stopping.signal.aborted) onError(error, { job: job.id });
      });
  };

  /** What was seen of the jobs of other processes. */
  const seen = new Map<string, { beats: number; looks: number }>();
  const lookAtOthers = async (): Promise<void> => {
    for (const other of await jobs.othersUnfinished()) {
      const { id } = other.job;
      const before = seen.get(id);
      const looks = before?.beats === other.beats ? before.looks + 1 : 0;
      seen.set(id, { beats: other.beats, looks });
      if (looks >= looksBeforeTakeOver && (await jobs.takeOver(other))) resume(other.job);
    }
  };

  const start = async (
    teamId: string,
    actor: JobActor,
    { text, dryRun = false }: ErasureInput,
  ): Promise<{ job: JobRow; ended: Promise<void> }> => {
    const characters = [...text].length;
    if (characters < minErasedCharacters || characters > maxErasedCharacters || text.trim() === '')
      throw invalidAt(
        ['text'],
        `must have ${minErasedCharacters} to ${maxErasedCharacters} characters`,
        `the text must have ${minErasedCharacters} to ${maxErasedCharacters} characters`,
      );
    const now = clock.now();
    const id = newId('era', now, random);
    const textHash = hashes.text(teamId, text);
    const isNew = await jobs.insert(
      { id, teamId, endpoint: null, dryRun, actor, textHash, createdAt: now },
      now - keptJobsMs,
    );
    const job = isNew ? await jobs.byId(id) : undefined;
    if (!job) throw conflict(isBusy);
    return { job, ended: enqueue(() => run(job, text)) };
  };

  const toErasure = (job: JobRow): Erasure => ({
    ...pick(job, 'id', 'state', 'dryRun', 'createdAt', 'finishedAt'),
    endpoints: job.found,
    events: job.found.reduce((sum, { events }) => sum + events, 0),
  });

  const current = async ({ id }: JobRow): Promise<Erasure> => {
    const job = await jobs.byId(id);
    if (!job) throw notFound('erasure');
    return toErasure(job);
  };

  const requireOwner = ({ role }: Pick<Member, 'role'>): void => {
    if (role !== 'owner') throw forbidden('only an owner of the team may do this');
  };

  return {
    /**
     * Begins an erasure and waits a few seconds for its end.
     * @throws forbidden unless an owner asks, invalid, conflict while the team has another one
     */
    async create(member: Member, input: ErasureInput): Promise<Erasure> {
      requireOwner(member);
      const { accountId, email, credential } = member;
      const via = credential.kind === 'session' ? 'dashboard' : 'api';
      const { job, ended } = await start(member.teamId, { id: accountId, email, via }, input);
      const waited = pause(answerAfterMs, stopping.signal);
      await Promise.race([waited, ended.catch(() => {})]);
      return current(job);
    },

    /** For the operator; resolves once it is done. */
    async erase(teamId: string, input: ErasureInput): Promise<Erasure> {
      const { job, ended } = await start(teamId, null, input);
      await ended.catch(error => {
        throw error instanceof AppError
          ? error
          : new AppError('unavailable', 'the erasure failed, and nothing was deleted; see the log of the server', {
              cause: error,
            });
      });
      return current(job);
    },

    /** @throws forbidden unless an owner asks, not_found */
    async find(member: Member, id: string): Promise<Erasure> {
      requireOwner(member);
      const job = await jobs.find(member.teamId, id);
      if (!job || job.endpoint !== null) throw notFound('erasure');
      return toErasure(job);
    },

    /**
     * Changes stored events, and makes what was there before vanish from the disk and from backups.
     * @param change gets the statements that must run with each change of an event
     * @throws conflict while the team has another job
     */
    async afterChange<T>(
      { teamId, endpoint }: { teamId: string; endpoint: number },
      change: (before: (event: number) => InStatement[]) => Promise<T>,
    ): Promise<T> {
      const now = clock.now();
      const id = newId('era', now, random);
      const job = { id, teamId, endpoint, dryRun: false, actor: null, textHash: null, createdAt: now };
      const row = (await jobs.insert(job, now - keptJobsMs)) ? await jobs.byId(id) : undefined;
      if (!row) throw conflict(isBusy);
      return enqueue(async () => {
        await jobs.beginDeleting(row, nothingFound, []);
        try {
          return await change(event => [options.rewriteLater(row.seq, event)]);
        } finally {
          await finish(row);
        }
      });
    },

    /** Which of these deliveries of an endpoint an erasure has deleted. @param list separated by commas @throws invalid */
    async erasedDeliveries(endpointId: string, list: string): Promise<string[]> {
      const guids = list.split(',').filter(guid => guid !== '');
      if (guids.length > maxErasedGuids)
        throw invalidAt(['guids'], `has more than ${maxErasedGuids}`, `give at most ${maxErasedGuids} guids`);
      const known = guids.map(guid => ({ guid, hash: hashes.delivery(endpointId, guid) }));
      const erased = await jobs.erased(
        known.map(({ hash }) => hash),
        clock.now(),
      );
      return known.filter(({ hash }) => erased.has(Buffer.from(hash).toString('hex'))).map(({ guid }) => guid);
    },

    /** Goes on with the jobs of a process that has ended. Call it when the database is open. */
    async start(): Promise<void> {
      if (options.isShared) return;
      for (const other of await jobs.othersUnfinished()) if (await jobs.takeOver(other)) resume(other.job);
    },

    /** Call it every `everyMs`. */
    async watch(): Promise<void> {
      if (working.size > 0) await jobs.beat();
      if (options.isShared) await lookAtOthers();
      await jobs.removeExpired(clock.now());
    },
    everyMs: beatMs,

    /** Resolves once no job is working; unfinished jobs go on after the next start. */
    async stop(): Promise<void> {
      stopping.abort(new Error('the server is stopping'));
      await Promise.all(working);
    },
    /** Resolves once no job is left; for commands. */
    idle: async (): Promise<void> => {
      await Promise.all(working);
    },
  };
}

/** Ends early if the signal is aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal, ref: false }).catch(() => {});
