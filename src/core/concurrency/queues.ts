/* Costly work of one holder a few at a time, first come first served; other holders have queues of their own. Per process. */

export type Queues = <T>(holder: string, work: () => Promise<T>) => Promise<T>;

type Queue = { running: number; waiting: (() => void)[] };

/** @param limit how much of one holder runs at the same time */
export function createQueues(limit: number): Queues {
  const queues = new Map<string, Queue>();
  return async (holder, work) => {
    const queue = queues.get(holder) ?? { running: 0, waiting: [] };
    queues.set(holder, queue);
    if (queue.running < limit) queue.running++;
    else await new Promise<void>(resolve => queue.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line, so that nobody can slip in between.
      const next = queue.waiting.shift();
      if (next) next();
      else if (--queue.running === 0) queues.delete(holder);
    }
  };
}
