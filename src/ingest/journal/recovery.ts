/*
 * Finds the acknowledged groups of an earlier process that are not rows yet. An incomplete group at the end was being written when the
 * process or the machine stopped, and was never acknowledged. If a group before intact ones is damaged, only that group is lost.
 */
import { readFileSync } from 'node:fs';
import { groupAlignment, isIntactGroup, readGroupHeader } from './group.ts';
import type { GroupLocation } from './journal.ts';
import type { StoredSegment } from './segment-files.ts';

export type Recovered = {
  /** In the order of row numbers. */
  unfiled: GroupLocation[];
  /** The highest row number of any group, 0 without groups. */
  lastSeq: number;
  nextGroup: number;
  /** Segments without unfiled groups. */
  empty: string[];
  /** The positions of unreadable groups between intact ones. */
  damaged: { path: string; offset: number }[];
};

/** @param filedSeq all events up to this row number are rows @param segments oldest first */
export function recoverGroups(segments: readonly StoredSegment[], filedSeq: number): Recovered {
  const recovered: Recovered = { unfiled: [], lastSeq: 0, nextGroup: 1, empty: [], damaged: [] };
  for (const [i, segment] of segments.entries()) {
    const voidFrom = Math.min(...segments.slice(i + 1).map(({ firstGroup }) => firstGroup), Number.POSITIVE_INFINITY);
    const { groups, damaged } = findGroups(readFileSync(segment.path), segment, voidFrom, segments[i + 1]);
    const unfiled = groups.filter(({ first, count }) => first + count - 1 > filedSeq);
    recovered.unfiled.push(...unfiled);
    if (unfiled.length === 0) recovered.empty.push(segment.path);
    // Damage in a segment whose groups are all rows loses nothing.
    else recovered.damaged.push(...damaged.map(offset => ({ path: segment.path, offset })));
    recovered.nextGroup = Math.max(recovered.nextGroup, segment.firstGroup);
    for (const { first, count, group } of groups) {
      recovered.lastSeq = Math.max(recovered.lastSeq, first + count - 1);
      recovered.nextGroup = Math.max(recovered.nextGroup, group + 1);
    }
  }
  return recovered;
}

type FoundGroup = GroupLocation & { group: number };

/** @param voidFrom groups from this number on were not acknowledged @param following the next segment on disk */
export function findGroups(
  bytes: Buffer,
  { path, nonce, firstGroup, generation }: StoredSegment,
  voidFrom: number,
  following: StoredSegment | undefined,
): { groups: FoundGroup[]; damaged: number[] } {
  const groups: FoundGroup[] = [];
  const damaged: number[] = [];
  let expected = firstGroup;
  let suspect: number | undefined;
  for (let offset = groupAlignment; offset + groupAlignment <= bytes.length; ) {
    const header = readGroupHeader(bytes.subarray(offset), nonce);
    const isNext = header !== undefined && header.group >= expected && header.group < voidFrom;
    if (!isNext || !isIntactGroup(bytes.subarray(offset, offset + header.bytes))) {
      suspect ??= offset;
      offset += groupAlignment;
      continue;
    }
    if (suspect !== undefined && header.group > expected) damaged.push(suspect);
    suspect = undefined;
    expected = header.group + 1;
    groups.push({ path, offset, ...header });
    offset += header.bytes;
  }
  // A segment in between may have been removed because all its groups are rows.
  const isFollowed = following?.generation === generation + 1;
  if (isFollowed && expected < following.firstGroup) damaged.push(suspect ?? groupAlignment);
  return { groups, damaged };
}
