/* Writes the results of one queue. Results that arrive during a write are written together in the next one. */
import type { QueueItem, WorkResult } from './queue.ts';

export type WrittenResult = { item: QueueItem; result: WorkResult };

/**
 * @param save writes results in one transaction
 * @param afterFailure called when `save` failed; resolves to whether it is tried again
 */
export function createResultWriter(
  save: (results: readonly WrittenResult[]) => Promise<void>,
  afterFailure: (error: unknown) => Promise<boolean>,
) {
  let waiting: { result: WrittenResult; done: PromiseWithResolvers<void> }[] = [];
  let isWriting = false;

  const saveUntilDone = async (results: readonly WrittenResult[]): Promise<void> => {
    for (;;) {
      try {
        return await save(results);
      } catch (error) {
        if (!(await afterFailure(error))) throw error;
      }
    }
  };
  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        await saveUntilDone(group.map(({ result }) => result));
        for (const { done } of group) done.resolve();
      } catch (error) {
        for (const { done } of group) done.reject(error);
      }
    }
    isWriting = false;
  };

  return {
    /** Resolves once it is on disk. Rejects when that has become impossible: the item may then be worked on again. */
    write: (result: WrittenResult): Promise<void> => {
      const done = Promise.withResolvers<void>();
      waiting.push({ result, done });
      if (!isWriting) void writeAll();
      return done.promise;
    },
  };
}
