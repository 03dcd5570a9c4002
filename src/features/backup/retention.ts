/*
 * What is deleted from a backup, and when. The horizon is the oldest state that can be restored; objects that no state from there on needs
 * are deleted. Objects of which only a part is needed are replaced: their pages are written again.
 */
import type { LogWriter } from './log-writer.ts';

/** An index may cost this share of what was written since the last one. */
const indexShare = 50;
const bytesPerPage = 11;
const bytesPerObject = 25;
/** There is an index at least as often as this part of the time to keep. */
const indexesPerKeep = 10;
/** How many objects without pages are worth a new horizon. */
const minEmpty = 100;
/** Pages that are written again at once. */
const maxRewritten = 512;

/** Whether an index is due. `sinceMs`: since the last one. */
export function isIndexDue({ map, since }: LogWriter, sinceMs: number, keepMs: number): boolean {
  const { bytes, commits } = since();
  if (commits === 0) return false;
  const cost = map.pages() * bytesPerPage + map.objects.size * bytesPerObject;
  return bytes >= cost * indexShare || sinceMs >= keepMs / indexesPerKeep;
}

/** The newest state with an index that is older than `before`, if that is worth deleting what no later state needs. */
export function nextHorizon(writer: LogWriter, before: number, now: number): number | undefined {
  const indexes = writer.indexes();
  // A clock that went back must not make a younger state old, and one that went ahead must not keep older ones.
  const younger = indexes.findIndex(({ at }) => at > before && at <= now);
  const old = younger === -1 ? indexes : indexes.slice(0, younger);
  const horizon = old.findLast(({ at }) => at <= before)?.seq ?? 0;
  if (horizon <= writer.horizon()) return undefined;
  const dead = deadObjects(writer, horizon);
  const isWorthIt = dead.length >= minEmpty || dead.some(seq => (writer.map.objects.get(seq)?.records ?? 0) > 0);
  return isWorthIt ? horizon : undefined;
}

/** Log objects that no state from `horizon` on needs. */
export const deadObjects = ({ map }: LogWriter, horizon: number): number[] =>
  [...map.objects.values()]
    .filter(({ seq, died, live }) => live === 0 && seq < horizon && died <= horizon)
    .map(({ seq }) => seq);

export const oldIndexes = (writer: LogWriter, horizon: number): number[] =>
  writer
    .indexes()
    .map(({ seq }) => seq)
    .filter(seq => seq < horizon);

/** Pages of objects from before the horizon whose other pages were replaced: of which half is gone, or which are twice as old. */
export function pagesToRewrite({ map, horizon }: LogWriter, twiceAsOld: number): number[] {
  const partly = new Set<number>();
  for (const { seq, live, records, at } of map.objects.values())
    if (seq < horizon() && live > 0 && live < records && (live * 2 <= records || at <= twiceAsOld)) partly.add(seq);
  return partly.size === 0 ? [] : map.pagesIn(seq => partly.has(seq)).slice(0, maxRewritten);
}

/**
 * The pages of objects that may contain what is no longer in the database: of those with a page that was replaced, and of those with
 * changes, from which earlier content can be computed.
 */
export const impurePages = ({ map }: LogWriter, upTo: number): number[] =>
  map.pagesIn(seq => {
    const object = map.objects.get(seq);
    return object !== undefined && seq <= upTo && (object.live < object.records || object.hasDeltas);
  });
