/*
 * Where the pages of a database's state are in the log of a backup: of each page the object with its last full version, and the objects
 * with later changes to it. Objects are applied in order. Objects of an incomplete state are kept aside.
 */
import type { IndexBody, LogObject, ObjectEntry, PageRecords } from './contents.ts';

/** An object with pages of the newest state. `live`: how many of its records that state needs. */
export type LoggedObject = ObjectEntry & { live: number };

type Pending = PageRecords & { entry: LoggedObject; commit: { pages: number } | null };

export type PageMap = ReturnType<typeof createPageMap>;

function grown<T extends Uint32Array | BigUint64Array>(array: T, length: number, create: (length: number) => T): T {
  if (array.length >= length) return array;
  const larger = create(Math.max(length, array.length * 2, 1024));
  larger.set(array as never);
  return larger;
}

export function createPageMap() {
  let bases: Uint32Array = new Uint32Array(0);
  let hashes: BigUint64Array = new BigUint64Array(0);
  /** Numbers of the objects with changes to a page since its last full version. */
  const chains = new Map<number, number[]>();
  const objects = new Map<number, LoggedObject>();
  let pending: Pending[] = [];
  let pages = 0;
  let seq = 0;

  const release = (number: number, by: number): void => {
    const object = objects.get(number);
    if (!object) return;
    object.live--;
    if (object.live === 0) object.died = by;
  };
  /** The state that the object `by` completes no longer needs the versions of this page. */
  const releasePage = (page: number, by: number): void => {
    const base = bases[page - 1] ?? 0;
    if (base > 0) release(base, by);
    for (const number of chains.get(page) ?? []) release(number, by);
    chains.delete(page);
    bases[page - 1] = 0;
    hashes[page - 1] = 0n;
  };
  const merge = ({ pages: changed, deltas, hashes: changedHashes, entry }: Pending, by: number): void => {
    const last = changed.at(-1) ?? 0;
    bases = grown(bases, last, length => new Uint32Array(length));
    hashes = grown(hashes, last, length => new BigUint64Array(length));
    objects.set(entry.seq, entry);
    for (const [i, page] of changed.entries()) {
      if (deltas[i] === 0) {
        releasePage(page, by);
        bases[page - 1] = entry.seq;
      } else chains.set(page, [...(chains.get(page) ?? []), entry.seq]);
      hashes[page - 1] = changedHashes[i] as bigint;
    }
    if (changed.length === 0) entry.died = by;
  };

  return {
    /** The number of pages of the newest complete state, and the number of the object that completes it; 0 without one. */
    pages: () => pages,
    seq: () => seq,
    objects: objects as ReadonlyMap<number, LoggedObject>,
    /** Objects of a state that is not complete yet. */
    pending: (): readonly { seq: number }[] => pending.map(({ entry }) => entry),

    load(index: IndexBody, indexSeq: number): void {
      bases = index.bases;
      hashes = index.hashes;
      pages = bases.length;
      seq = indexSeq;
      for (const entry of index.objects) objects.set(entry.seq, { ...entry, live: 0 });
      const count = (number: number): void => {
        const object = objects.get(number);
        if (object) object.live++;
      };
      for (const base of bases) if (base > 0) count(base);
      for (let i = 0; i < index.deltas.length; i += 2) {
        const [page, number] = [index.deltas[i] as number, index.deltas[i + 1] as number];
        chains.set(page, [...(chains.get(page) ?? []), number]);
        count(number);
      }
    },

    /** @param bytes size of the object */
    apply(object: LogObject, bytes: number): void {
      const { commit, at, pages: changed, deltas, hashes: changedHashes } = object;
      const entry: LoggedObject = {
        seq: object.seq,
        records: changed.length,
        bytes,
        at,
        isCommit: commit !== null,
        hasDeltas: deltas.includes(1),
        died: 0,
        live: changed.length,
      };
      pending.push({ pages: changed, deltas, hashes: changedHashes, entry, commit });
      if (!commit) return;
      let last = pages;
      for (const one of pending) {
        merge(one, object.seq);
        last = Math.max(last, one.pages.at(-1) ?? 0);
      }
      pending = [];
      for (let page = commit.pages + 1; page <= last; page++) releasePage(page, object.seq);
      pages = commit.pages;
      seq = object.seq;
      bases = grown(bases, pages, length => new Uint32Array(length));
      hashes = grown(hashes, pages, length => new BigUint64Array(length));
    },

    needs: (page: number, number: number): boolean =>
      page <= pages && ((bases[page - 1] ?? 0) === number || (chains.get(page)?.includes(number) ?? false)),

    /** The hash of a page of the newest complete state; undefined for a page of zeros that is in no object. */
    hash: (page: number): bigint | undefined => ((bases[page - 1] ?? 0) === 0 ? undefined : hashes[page - 1]),

    /** For each page in the log, also of an incomplete state: its hash, and how many changes follow its last full version. */
    allPages() {
      const last = pending.reduce((most, one) => Math.max(most, one.pages.at(-1) ?? 0), pages);
      const all = { hashes: new BigUint64Array(last), deltas: new Uint8Array(last) };
      all.hashes.set(hashes.subarray(0, pages));
      for (const [page, { length }] of chains) all.deltas[page - 1] = length;
      for (const one of pending)
        for (const [i, page] of one.pages.entries()) {
          all.hashes[page - 1] = one.hashes[i] as bigint;
          all.deltas[page - 1] = one.deltas[i] === 0 ? 0 : (all.deltas[page - 1] as number) + 1;
        }
      return all;
    },

    /** The pages of the newest complete state that need one of these objects, for their last full version or for a change to it. */
    pagesIn(isMeant: (number: number, isDelta: boolean) => boolean): number[] {
      const found: number[] = [];
      for (let page = 1; page <= pages; page++) {
        const base = bases[page - 1] ?? 0;
        if ((base > 0 && isMeant(base, false)) || chains.get(page)?.some(number => isMeant(number, true)))
          found.push(page);
      }
      return found;
    },

    objectsNeeded: (): LoggedObject[] =>
      [...objects.values()].filter(({ live }) => live > 0).sort((a, b) => a.seq - b.seq),

    forget(numbers: readonly number[]): void {
      for (const number of numbers) objects.delete(number);
    },

    toIndex(): IndexBody {
      const deltas = [...chains].flatMap(([page, numbers]) => numbers.map(number => [page, number] as const));
      deltas.sort((a, b) => a[0] - b[0]);
      return {
        bases: bases.slice(0, pages),
        hashes: hashes.slice(0, pages),
        deltas: Uint32Array.from(deltas.flat()),
        objects: [...objects.values()],
      };
    },
  };
}
