/*
 * The continuous backup while this server has the claim: takes changed pages, writes them to the log, and keeps the log small. Every method
 * may be interrupted at any point, also by the end of the process: what is in the store is read again then.
 */
import type { ObjectPlace } from '../../core/backup/names.ts';
import type { Backup } from '../../core/backup/read-backup.ts';
import { type BackupSource, listBackup } from '../../core/backup/read-objects.ts';
import type { Database } from '../../db/database.ts';
import type { HeldClaim } from './claim.ts';
import type { Conditions } from './conditions.ts';
import { createLogWriter, type LogContent } from './log-writer.ts';
import { deadObjects, impurePages, isIndexDue, nextHorizon, oldIndexes, pagesToRewrite } from './retention.ts';

export type ReadChangedPages = NonNullable<Database['changedPages']>;

/** Repeats an attempt until the store has done it. @throws if the server stops, or must not write any more */
export type Persistently = <T>(attempt: (number: number) => Promise<T>) => Promise<T>;

export type ShippingOptions = {
  source: BackupSource;
  conditions: Conditions;
  held: HeldClaim;
  chain: string;
  run: string;
  found: Backup | undefined;
  changedPages: ReadChangedPages;
  persistently: Persistently;
  /** Wall clock, epoch ms; `trusted` does not jump ahead. */
  now: () => number;
  trusted: () => number;
  monotonic: () => number;
  keepMs: number;
  /** Called when changes were taken that are not in the store, with their age and size, and when all of them are. */
  onTaken: (ageMs: number, bytes: number) => void;
  onShipped: () => void;
};

/** How many pages are in memory at once: 8 MiB. Encryption and signature of more would hold up deliveries. */
const maxTaken = 512;
/** 4 MiB, which takes the writer some milliseconds. */
const maxCompared = 256;
const rewriteEveryMs = 60_000;

const noPages = {
  pages: new Uint32Array(0),
  deltas: new Uint8Array(0),
  hashes: new BigUint64Array(0),
  bytes: new Uint8Array(0),
};

export type Shipping = ReturnType<typeof createShipping>;

export function createShipping(options: ShippingOptions) {
  const { source, conditions, held, found, changedPages, persistently, now, trusted, monotonic, keepMs } = options;
  const writer = createLogWriter(options);
  let lastCommitAt = found?.latest.at ?? now();
  let indexedAt = monotonic();
  let rewrittenAt = Number.NEGATIVE_INFINITY;

  const ship = async (content: LogContent): Promise<void> => {
    const { attempt } = await writer.prepare(content);
    await persistently(attempt);
    if (content.commit) lastCommitAt = content.at;
  };
  const shipNothing = (isHorizon: boolean): Promise<void> =>
    ship({ ...noPages, pageSize: writer.pageSize(), at: now(), commit: { pages: writer.map.pages() }, isHorizon });

  const mark = async (pages: readonly number[]): Promise<void> => {
    if (pages.length > 0) await changedPages({ kind: 'mark', pages: Uint32Array.from(pages) });
  };

  /** Finds the pages that differ from the log. */
  const compare = async (): Promise<void> => {
    let state = await changedPages({ kind: 'known', ...writer.map.allPages() });
    while (state.left > 0) {
      state = await changedPages({ kind: 'compare', max: maxCompared });
      await persistently(() => held.renew(writer.seq(), conditions));
    }
  };

  /** Writes all changed pages to the log. */
  const shipChanges = async (): Promise<void> => {
    for (;;) {
      if (!(await changedPages({ kind: 'state' })).isKnown) await compare();
      const taken = await changedPages({ kind: 'take', max: maxTaken });
      const { pages, isAll, isKnown, databasePages, ageMs, bytes } = taken;
      const isNothing = pages.length === 0 && databasePages === writer.map.pages() && writer.map.pending().length === 0;
      if (isAll && isKnown && isNothing) return options.onShipped();
      options.onTaken(ageMs, bytes.length);
      const commit = isAll && isKnown ? { pages: databasePages } : null;
      const { deltas, hashes, pageSize } = taken;
      if (commit || pages.length > 0) await ship({ pages, deltas, hashes, bytes, pageSize, at: now(), commit });
      if (commit) return options.onShipped();
    }
  };

  const removeDead = async (): Promise<void> => {
    const horizon = writer.horizon();
    const [dead, indexes] = [deadObjects(writer, horizon), oldIndexes(writer, horizon)];
    if (dead.length + indexes.length > 0) await persistently(() => writer.remove(dead, indexes));
  };

  const putIndex = async (): Promise<void> => {
    await persistently(() => writer.putIndex(lastCommitAt));
    indexedAt = monotonic();
  };

  const keepSmall = async (): Promise<void> => {
    if (isIndexDue(writer, monotonic() - indexedAt, keepMs)) await putIndex();
    const horizon = nextHorizon(writer, trusted() - keepMs, trusted());
    if (horizon !== undefined) {
      writer.setHorizon(horizon);
      await shipNothing(false);
    }
    await removeDead();
    if (monotonic() - rewrittenAt < Math.min(rewriteEveryMs, keepMs)) return;
    rewrittenAt = monotonic();
    await mark(pagesToRewrite(writer, trusted() - 2 * keepMs));
  };

  /** Deletes what is in the store and not in the log. @returns the objects that the log has and the store has not, and indexes */
  const removeOthers = async (): Promise<{ lost: number[]; lostIndexes: number[] }> => {
    const listed = await persistently(() => listBackup(source));
    const { map } = writer;
    const pending = new Set(map.pending().map(({ seq }) => seq));
    const isUsed = (seq: number): boolean => map.objects.has(seq) || pending.has(seq) || seq > writer.seq();
    const indexes = new Set(writer.indexes().map(({ seq }) => seq));
    const others = [...listed.log.keys()].filter(seq => !isUsed(seq));
    const otherIndexes = [...listed.index.keys()].filter(seq => !indexes.has(seq) && seq <= writer.seq());
    await persistently(() => writer.remove(others, otherIndexes));
    return {
      lost: [...map.objects.keys(), ...pending].filter(seq => !listed.log.has(seq)),
      lostIndexes: [...indexes].filter(seq => !listed.index.has(seq)),
    };
  };

  return {
    seq: writer.seq,
    oldest: (): number | null => {
      const seq = writer.horizon();
      const index = writer.indexes().find(one => one.seq === seq);
      return writer.map.objects.get(seq)?.at ?? index?.at ?? null;
    },

    /** Call it first: nothing is known of the database yet. */
    async begin(): Promise<void> {
      await compare();
      await mark(found?.suspects ?? []);
    },
    /** Renews the claim if it is due. @throws RefusedError */
    keepClaim: () => persistently(async () => {}),
    shipChanges,
    keepSmall,

    /** Writes again what the store has lost, also these objects, and removes what is in the store and not in the log. */
    async repair(places: readonly ObjectPlace[]): Promise<void> {
      const seqsOf = (kind: 'log' | 'index') => places.filter(place => place.kind === kind).map(({ seq }) => seq);
      const found = await removeOthers();
      const lost = new Set([...seqsOf('log'), ...found.lost]);
      const lostIndexes = [...seqsOf('index'), ...found.lostIndexes];
      await mark(writer.map.pagesIn(seq => lost.has(seq)));
      if (lost.size + lostIndexes.length === 0) return;
      await shipChanges();
      await persistently(() => writer.remove([], lostIndexes));
      // A reader of the newest state does not look at what is before an index.
      await putIndex();
      writer.map.forget(found.lost.filter(seq => writer.map.objects.get(seq)?.live === 0));
    },

    /** Makes sure that nothing in the store has content that is no longer in the database. */
    async forget(): Promise<void> {
      await shipChanges();
      const upTo = writer.seq();
      // Pages that are written again in full leave their earlier versions behind, in objects that were pure until then.
      for (let pages = impurePages(writer, upTo); pages.length > 0; pages = impurePages(writer, upTo)) {
        await mark(pages);
        await shipChanges();
      }
      await shipNothing(true);
      await putIndex();
      await removeDead();
      await removeOthers();
    },

    /** Call it last. An index saves the next start time, if it costs little. */
    async end(): Promise<void> {
      if (isIndexDue(writer, 0, keepMs)) await putIndex();
      await held.release(writer.seq(), conditions);
    },
  };
}
