/*
 * Deletes the events of an endpoint that match a filter: in one request, in slices of a few milliseconds of the writer's time,
 * newest first. Deliveries go first. If the client disconnects, the rest stays; deleted events stay deleted.
 */

import type { Principal, TeamAccess } from '../../core/access/principal.ts';
import { createBatchSize } from '../../core/concurrency/batch-size.ts';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { forbidden } from '../../core/errors.ts';
import type { Position } from '../../core/ids/cursor.ts';
import type { ReadableEndpoint } from '../events/reading.ts';
import type { DeletionRequest } from './model.ts';
import { type FindMatching, foundAtOnce, readSelection } from './selection.ts';

const sliceMs = 2.5;

export type DeletionService = ReturnType<typeof createDeletionService>;

export function createDeletionService(options: {
  /** @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<ReadableEndpoint>;
  retentionCutoff: (principal: TeamAccess, endpoint: ReadableEndpoint) => number;
  find: FindMatching;
  /** Removes these events in one transaction. @returns how many there were, and the writer's time */
  remove: (
    of: { endpoint: number; withPinned: boolean },
    seqs: readonly number[],
  ) => Promise<{ removed: number; writerMs: number | undefined }>;
  /** Resolves when the writer may be used for a slice. */
  pauseForCapture: () => Promise<void>;
  /** Called when events were deleted. */
  onDeleted: () => void;
}) {
  const { endpoint: findEndpoint, retentionCutoff, find, remove, pauseForCapture, onDeleted } = options;
  const deletions = createSemaphore(1);

  const removeAll = async (
    of: { endpoint: number; withPinned: boolean },
    seqs: readonly number[],
    signal: AbortSignal | undefined,
  ): Promise<number> => {
    const batchSize = createBatchSize({ targetMs: sliceMs, initial: 128, min: 64, max: foundAtOnce });
    let deleted = 0;
    for (let at = 0; at < seqs.length && !signal?.aborted; ) {
      const some = seqs.slice(at, at + Math.ceil(batchSize.units()));
      await pauseForCapture();
      const { removed, writerMs } = await remove(of, some);
      batchSize.record(some.length, writerMs);
      deleted += removed;
      at += some.length;
    }
    return deleted;
  };

  return {
    /**
     * @param signal aborted when the client disconnects
     * @returns the number of deleted events
     * @throws forbidden unless the principal is an owner, invalid for the filter, not_found
     */
    async remove(
      principal: Principal,
      endpointId: string,
      { where, pinned = false }: DeletionRequest,
      signal?: AbortSignal,
    ): Promise<number> {
      if (principal.role !== 'owner') throw forbidden('only an owner of the team may delete events');
      const filter = readSelection(where);
      const endpoint = await findEndpoint(principal, endpointId);
      const since = retentionCutoff(principal, endpoint);
      const of = { endpoint: endpoint.seq, withPinned: pinned };
      return deletions.run(principal.teamId, async () => {
        let deleted = 0;
        let after: Position | undefined;
        do {
          const { found, next } = await find({
            endpoint: endpoint.seq,
            q: '',
            where: { filter, endpoint },
            since,
            after,
            limit: foundAtOnce,
            reader: { ...principal, signal },
          });
          const seqs = found.map(({ seq }) => seq);
          deleted += await removeAll(of, seqs, signal);
          after = found.length === foundAtOnce ? found.at(-1) : next;
        } while (after && !signal?.aborted);
        if (deleted > 0) onDeleted();
        return deleted;
      });
    },
  };
}
