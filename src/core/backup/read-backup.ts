/* Reads what is in a backup: the newest state, or the one at a time, and where its pages are. */
import type { Claim, LogLink, LogObject } from './contents.ts';
import { createPageMap, type PageMap } from './page-map.ts';
import {
  BackupError,
  type BackupIndex,
  type BackupSource,
  brokenLog,
  type Listed,
  listBackup,
  readClaim,
  readIndex,
  readLog,
} from './read-objects.ts';

/** A state that can be restored. `at`: nothing later is in it; epoch ms. */
export type BackupState = { seq: number; at: number };

export type Backup = {
  chain: string;
  claim: Claim | undefined;
  /** The state that `map` describes. */
  state: BackupState & { pages: number; pageSize: number };
  oldest: BackupState;
  latest: BackupState;
  map: PageMap;
  /** The newest log object, which may belong to a state that is not complete yet. */
  tip: LogLink | null;
  indexes: { seq: number; at: number }[];
  listed: Listed;
  /** Log objects that belong to no state. */
  orphans: number[];
  /** Only with `repair`: missing and damaged log objects, and the pages whose content in the backup is not certain; damaged indexes. */
  lost: number[];
  lostIndexes: number[];
  suspects: number[];
};

const noState: BackupState = { seq: 0, at: 0 };
const noLimit = Number.POSITIVE_INFINITY;

/**
 * @param options `at`: the newest state in which nothing is later, epoch ms. `repair`: reports missing and damaged objects instead of
 * refusing
 * @throws BackupError; the store's error
 */
export async function readBackup(
  source: BackupSource,
  { at, repair = false }: { at?: number; repair?: boolean } = {},
): Promise<Backup> {
  /** Undefined for an object that is missing or damaged. */
  const orLost = async <T>(reading: Promise<T>): Promise<T | undefined> => {
    try {
      return await reading;
    } catch (error) {
      if (repair && error instanceof BackupError) return undefined;
      throw error;
    }
  };
  const listed = await listBackup(source);
  const claim = (await orLost(readClaim(source)))?.claim;
  const { names } = source;
  if (listed.log.size === 0 && (repair || !claim?.seq)) throw nothingThere(listed, source);
  const { index, damaged: lostIndexes } = await readNewestIndex(source, listed, repair);
  const log = await readLog(source, listed, index?.head.prev ?? null, noLimit, repair);
  const tip = log.tip ?? index?.head.prev ?? null;
  if (!repair && claim && claim.seq > (tip?.seq ?? 0)) throw brokenLog(names, claim.seq, false);
  const chain = (log.objects.at(-1) ?? index?.head)?.chain ?? '';
  const other = [...log.objects, ...(index ? [index.head] : [])].find(one => one.chain !== chain);
  if (other) throw brokenLog(names, other.seq, true);
  const states = statesOf(index, log.objects);
  const [oldest, latest] = [states[0] ?? noState, states.at(-1) ?? noState];
  if (!repair && latest.seq === 0)
    throw new BackupError('empty', `the backup in ${source.store.location} has no complete state yet`);
  const state = at === undefined ? latest : stateAt(states, at);
  const isLatest = state.seq === latest.seq;
  const used = isLatest ? { index, objects: log.objects } : await readUpTo(source, listed, state, index, log.objects);
  const map = createPageMap();
  if (used.index) map.load(used.index.body, used.index.head.seq);
  for (const object of used.objects) map.apply(object, listed.log.get(object.seq) ?? 0);
  const pageSize = (used.objects.at(-1) ?? used.index?.head)?.pageSize ?? 0;
  const needed = [...map.objectsNeeded(), ...map.pending()].map(({ seq }) => seq);
  const missing = needed.filter(seq => !listed.log.has(seq));
  if (!repair && missing[0] !== undefined) throw brokenLog(names, missing[0], false);
  return {
    chain,
    claim,
    state: { ...state, pages: map.pages(), pageSize },
    oldest,
    latest,
    map,
    tip,
    indexes: index?.head.indexes ?? [],
    listed,
    orphans: log.orphans,
    lost: [...new Set([...log.lost, ...missing])],
    lostIndexes,
    suspects: suspectPages(map, missing, log.lost),
  };
}

const nothingThere = ({ foreign }: Listed, { store }: BackupSource): BackupError =>
  foreign > 0
    ? new BackupError('secret', `the objects in ${store.location} were encrypted with another HOOKTAPE_SECRET`)
    : new BackupError('empty', `there is no backup in ${store.location}`);

async function readNewestIndex(source: BackupSource, listed: Listed, repair: boolean) {
  const damaged: number[] = [];
  const left = new Map(listed.index);
  for (;;)
    try {
      return { index: await readIndex(source, { ...listed, index: left }, noLimit), damaged };
    } catch (error) {
      if (!repair || !(error instanceof BackupError)) throw error;
      const newest = Math.max(...left.keys());
      damaged.push(newest);
      left.delete(newest);
    }
}

function statesOf(index: BackupIndex | undefined, log: readonly LogObject[]): BackupState[] {
  const horizon = Math.max(index?.head.horizon ?? 0, log.at(-1)?.horizon ?? 0);
  const states = new Map<number, number>();
  for (const { seq, at, isCommit } of index?.body.objects ?? []) if (isCommit) states.set(seq, at);
  for (const { seq, at } of index?.head.indexes ?? []) states.set(seq, at);
  for (const { seq, at, commit } of log) if (commit) states.set(seq, at);
  return [...states]
    .filter(([seq]) => seq >= horizon)
    .map(([seq, at]) => ({ seq, at }))
    .sort((a, b) => a.seq - b.seq);
}

/** The last state before the first state that is too late. A clock that went back must not bring later things in. */
function stateAt(states: readonly BackupState[], at: number): BackupState {
  const later = states.findIndex(state => state.at > at);
  const state = later === -1 ? states.at(-1) : states[later - 1];
  const oldest = states[0];
  if (state) return state;
  throw new BackupError('too_early', 'the backup has no state as old as that', oldest && { oldest: oldest.at });
}

async function readUpTo(
  source: BackupSource,
  listed: Listed,
  { seq }: BackupState,
  newest: BackupIndex | undefined,
  log: readonly LogObject[],
): Promise<{ index: BackupIndex | undefined; objects: readonly LogObject[] }> {
  const upTo = (objects: readonly LogObject[]) => objects.filter(object => object.seq <= seq);
  if (!newest || newest.head.seq <= seq) return { index: newest, objects: upTo(log) };
  const index = await readIndex(source, listed, seq);
  const { objects } = await readLog(source, listed, index?.head.prev ?? null, seq, false);
  return { index, objects };
}

/** Changes in later objects may belong to a version in a missing one. */
function suspectPages(map: PageMap, missing: readonly number[], lostHeads: readonly number[]): number[] {
  if (missing.length + lostHeads.length === 0) return [];
  const gone = new Set(missing);
  const first = Math.min(...lostHeads, noLimit);
  return map.pagesIn((seq, isDelta) => gone.has(seq) || (isDelta && seq > first));
}
