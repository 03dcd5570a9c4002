/*
 * Writes the objects of a backup in order. An object is never written over: after an error it is tried again under its name, which shows
 * whether it was stored after all, and then under the next one.
 */
import {
  encodeIndex,
  encodeLogBody,
  encodeLogHead,
  type LogLink,
  type LogObject,
  type PageRecords,
} from '../../core/backup/contents.ts';
import type { ObjectPlace } from '../../core/backup/names.ts';
import { createPageMap } from '../../core/backup/page-map.ts';
import type { Backup } from '../../core/backup/read-backup.ts';
import { BackupError, type BackupSource, readHead } from '../../core/backup/read-objects.ts';
import { isStoreFailure } from '../../core/network/object-store.ts';
import type { Conditions } from './conditions.ts';

/** Another writer's object has the name of ours: the log has to be read again. */
export class ConflictError extends Error {
  override name = 'ConflictError';
}

/** `commit`: completes a state of this many pages. `isHorizon`: no older state can be restored from then on. */
export type LogContent = PageRecords & {
  bytes: Uint8Array<ArrayBuffer>;
  pageSize: number;
  at: number;
  commit: { pages: number } | null;
  isHorizon?: boolean;
};

/** An attempt with this number, and its multiples, takes the next name. */
const triesPerName = 3;

type Sealed = { bytes: Uint8Array; tag: string };

export type LogWriter = ReturnType<typeof createLogWriter>;

/** @param found what the backup has; undefined for a new one */
export function createLogWriter(options: {
  source: BackupSource;
  conditions: Conditions;
  chain: string;
  run: string;
  found: Backup | undefined;
}) {
  const { source, conditions, chain, run, found } = options;
  const { store, names, seal, signal } = source;
  const map = found?.map ?? createPageMap();
  let tip: LogLink | null = found?.tip ?? null;
  let lastSeq = Math.max(tip?.seq ?? 0, ...(found?.orphans ?? []), ...(found?.lost ?? []), found?.claim?.seq ?? 0);
  let commits: LogLink | null = found && found.map.seq() === tip?.seq ? tip : null;
  let horizon = found?.oldest.seq ?? 0;
  let indexes = found?.indexes ?? [];
  let pageSize = found?.state.pageSize ?? 0;
  /** Bytes and states since the last index. */
  let since = { bytes: 0, commits: (found?.latest.seq ?? 0) > (indexes.at(-1)?.seq ?? 0) ? 1 : 0 };

  const isOurs = async (place: ObjectPlace, { bytes, tag }: Sealed): Promise<boolean> => {
    try {
      return (await readHead(source, place, bytes.length)).tag === tag;
    } catch (error) {
      if (error instanceof BackupError) return false;
      throw error;
    }
  };

  const putNew = async (place: ObjectPlace, sealed: Sealed): Promise<void> => {
    try {
      await store.put(names.name(place), sealed.bytes, { when: conditions.absent ? 'absent' : undefined, signal });
    } catch (error) {
      if (!isStoreFailure(error, 'condition')) throw error;
      if (!(await isOurs(place, sealed))) throw new ConflictError('the object exists');
    }
  };

  return {
    map,
    /** The newest log object. */
    seq: (): number => tip?.seq ?? 0,
    horizon: (): number => horizon,
    pageSize: (): number => pageSize,
    indexes: () => indexes,
    since: () => since,
    setHorizon(seq: number): void {
      horizon = seq;
    },

    /**
     * Prepares an object for the log, which must be stored before the next one is prepared.
     * @returns the attempt to store it @throws ConflictError from an attempt
     */
    async prepare(content: LogContent): Promise<{ bytes: number; attempt: (number: number) => Promise<void> }> {
      const { bytes, pageSize: size, at, commit, isHorizon = false, ...records } = content;
      const body = await encodeLogBody(bytes);
      let place: ObjectPlace = { kind: 'log', seq: lastSeq };
      let object: LogObject | undefined;
      let sealed: Sealed | undefined;
      const attempt = async (number: number): Promise<void> => {
        if (number % triesPerName === 0 || !object || !sealed) {
          lastSeq++;
          place = { kind: 'log', seq: lastSeq };
          object = { ...records, chain, seq: lastSeq, prev: tip, run, at, commit, pageSize: size, horizon };
          if (isHorizon) object.horizon = lastSeq;
          sealed = await seal.seal(place, encodeLogHead(object), body);
        }
        await putNew(place, sealed);
        tip = { seq: object.seq, tag: sealed.tag };
        pageSize = size;
        map.apply(object, sealed.bytes.length);
        since = { bytes: since.bytes + sealed.bytes.length, commits: since.commits + (commit ? 1 : 0) };
        if (commit) commits = tip;
        if (isHorizon || (commit && horizon === 0)) horizon = object.seq;
      };
      return { bytes: body.length, attempt };
    },

    /** Stores an index of the newest state. Does nothing without a state, or if objects of the next state are stored. */
    async putIndex(at: number): Promise<void> {
      const prev = commits;
      if (!prev || prev.seq !== tip?.seq || indexes.at(-1)?.seq === prev.seq) return;
      const place: ObjectPlace = { kind: 'index', seq: prev.seq };
      const all = [...indexes.filter(({ seq }) => seq >= horizon), { seq: prev.seq, at }];
      const { head, body } = encodeIndex(
        { chain, seq: prev.seq, prev, at, pageSize, horizon, indexes: all },
        map.toIndex(),
      );
      const sealed = await seal.seal(place, head, body);
      // An earlier process may have stored one for this state.
      await putNew(place, sealed).catch(error => {
        if (!(error instanceof ConflictError)) throw error;
      });
      indexes = all;
      since = { bytes: 0, commits: 0 };
    },

    /** Deletes objects that no state needs any more. */
    async remove(log: readonly number[], oldIndexes: readonly number[]): Promise<void> {
      const places: ObjectPlace[] = [
        ...log.map(seq => ({ kind: 'log', seq }) as const),
        ...oldIndexes.map(seq => ({ kind: 'index', seq }) as const),
      ];
      if (places.length === 0) return;
      await store.removeAll(places.map(names.name), { signal });
      map.forget(log);
      indexes = indexes.filter(({ seq }) => !oldIndexes.includes(seq));
    },
  };
}
