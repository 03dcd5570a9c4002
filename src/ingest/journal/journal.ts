/*
 * The capture journal: a delivery is acknowledged once its group is on disk here, before it is a row. Groups are written one after
 * the other, each with one synced write. After a failed write the segment is not used again, because the page cache may differ from
 * the disk; the next group goes to a new segment, whose header marks the failed group as void.
 */
import { closeSync, existsSync, rmSync } from 'node:fs';
import { encodeGroup, groupAlignment, type JournalEntry } from './group.ts';
import { type OpenSegment, type SegmentFiles, writeSynced } from './segment-files.ts';

/** The location of a group. `first`: the row number of its first event; the others follow without a gap. */
export type GroupLocation = { path: string; offset: number; bytes: number; first: number; count: number };

/** Larger buffers are not kept for the next group. */
const keptBufferBytes = 1 << 20;
const renewPollMs = 5;

export type Journal = ReturnType<typeof createJournal>;

/** @param nextGroup after all groups of earlier segments @param unfiled groups of earlier segments that are not rows yet */
export function createJournal({
  files,
  nextGroup,
  unfiled,
}: {
  files: SegmentFiles;
  nextGroup: number;
  unfiled: readonly GroupLocation[];
}) {
  let segment: OpenSegment | undefined;
  let end = 0;
  let group = nextGroup;
  const keptBuffer = Buffer.allocUnsafeSlow(keptBufferBytes);
  const unfiledGroups = new Map<string, number>();
  const failedSegments = new Set<string>();
  /** Whether the last write failed. */
  let hasFailed = false;
  let isWriting = false;
  /** Whether the segment is left after the current write. */
  let isSegmentOld = false;

  const count = (path: string, change: 1 | -1): void => {
    unfiledGroups.set(path, (unfiledGroups.get(path) ?? 0) + change);
  };
  for (const { path } of unfiled) count(path, 1);

  const releaseIfFiled = (path: string): void => {
    if (path === segment?.path || (unfiledGroups.get(path) ?? 0) > 0) return;
    unfiledGroups.delete(path);
    try {
      files.release(path, failedSegments.delete(path));
    } catch {
      // Its groups are filed. A file left behind only wastes space until the next start.
    }
  };

  const leaveSegment = (hasFailed: boolean): void => {
    const left = segment;
    isSegmentOld = false;
    if (!left) return;
    segment = undefined;
    if (hasFailed) failedSegments.add(left.path);
    closeSync(left.file);
    releaseIfFiled(left.path);
  };

  const openSegment = async (minBytes: number): Promise<OpenSegment> => {
    leaveSegment(false);
    const opened = await files.openNext(minBytes, group);
    segment = opened;
    end = groupAlignment;
    // Prepared ahead, so that no delivery waits for it. If this fails, opening the next segment throws the error.
    files.prepareSpare().catch(() => {});
    return opened;
  };

  const encode = (entries: readonly JournalEntry[], nonces: Uint8Array, first: number, { nonce }: OpenSegment) =>
    encodeGroup(entries, nonces, { segmentNonce: nonce, group, first }, bytes =>
      bytes <= keptBufferBytes ? keptBuffer : Buffer.allocUnsafeSlow(bytes),
    );

  const write = async (entries: readonly JournalEntry[], nonces: Uint8Array, first: number): Promise<GroupLocation> => {
    let target = segment ?? (await openSegment(0));
    let { buffer, bytes } = encode(entries, nonces, first, target);
    if (end + bytes > target.bytes) {
      target = await openSegment(bytes);
      ({ buffer, bytes } = encode(entries, nonces, first, target));
    }
    try {
      await writeSynced(target.file, buffer.subarray(0, bytes), end);
    } catch (error) {
      leaveSegment(true);
      throw error;
    }
    const location = { path: target.path, offset: end, bytes, first, count: entries.length };
    group++;
    end += bytes;
    count(target.path, 1);
    return location;
  };

  return {
    /** One call at a time. Resolves once it is on disk. @throws the file system's error; the group is not acknowledged then */
    async append(...group: Parameters<typeof write>): Promise<GroupLocation> {
      isWriting = true;
      try {
        const location = await write(...group);
        hasFailed = false;
        return location;
      } catch (error) {
        hasFailed = true;
        throw error;
      } finally {
        isWriting = false;
        if (isSegmentOld) leaveSegment(true);
      }
    },

    /**
     * Replaces the files of the journal: segments are reused but not cleared, so they still have deliveries that were deleted since.
     * Resolves once every file that existed before the call is gone, which waits for the filing of its groups.
     * @throws the file system's error
     */
    async renew(): Promise<void> {
      const old = new Set([...unfiledGroups.keys(), ...files.spares()]);
      if (segment) old.add(segment.path);
      files.removeSpares();
      for (const path of old) if (existsSync(path)) failedSegments.add(path);
      if (isWriting) isSegmentOld = true;
      else leaveSegment(true);
      while ([...old].some(path => existsSync(path))) {
        await Bun.sleep(renewPollMs);
        for (const path of old) if (path !== segment?.path && !unfiledGroups.get(path)) rmSync(path, { force: true });
      }
      for (const path of old) failedSegments.delete(path);
    },

    /** Checks that groups can be written again after a failed write. @throws the file system's error if they cannot */
    async checkWritable(): Promise<void> {
      if (!hasFailed) return;
      await files.prepareSpare();
      hasFailed = false;
    },

    /** Call when the events of this group are rows on disk. */
    filed({ path }: GroupLocation): void {
      count(path, -1);
      releaseIfFiled(path);
    },

    /** Removes the spare segments to free disk space. @returns whether any were removed */
    removeSpares: files.removeSpares,

    /** Creates a spare segment unless there is one. @throws the file system's error, for example when the disk is full */
    prepareSpare: files.prepareSpare,

    /** Stops writing. Removes the journal from disk if all its groups are filed. */
    async close(): Promise<void> {
      leaveSegment(false);
      const isEmpty = [...unfiledGroups.values()].every(groups => groups === 0);
      if (isEmpty) await files.removeAll();
    },
  };
}
