/* Runners of queues on the database of a test server. */
import type { NewItem, QueueItem, QueueKind, QueueWork, WorkResult } from '../features/queues/queue.ts';
import { createQueuesService, type QueuesOptions, type QueuesService } from '../features/queues/service.ts';
import { createQueuesStore } from '../features/queues/store.ts';
import { type HeldClock, holdClock } from './clock.ts';
import { rowsOf } from './events.ts';
import { openTestServer, type TestServer } from './test-server.ts';

export const textOf = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString();
export const bytesOf = (value: string): Uint8Array => Buffer.from(value);
export const settled: WorkResult = { kind: 'settled', outcome: 'ok', status: 200, error: null };
export const retryIn = (inMs: number): WorkResult => ({ kind: 'retry', inMs, status: 503, error: null });
/** Items with the names 0 to `count` - 1. */
export const names = (count: number): { name: string }[] => Array.from({ length: count }, (_, n) => ({ name: `${n}` }));

type Work = (item: QueueItem, signal: AbortSignal) => Promise<WorkResult> | WorkResult;
export const workOf = (work: Work, more: Partial<QueueWork> = {}): QueueWork => ({
  concurrency: () => 3,
  destination: () => 'http://localhost',
  work: async (item, signal) => work(item, signal),
  giveUp: (_, reason) => ({ kind: 'settled', outcome: 'given_up', status: null, error: reason }),
  ...more,
});

export type QueueBench = Awaited<ReturnType<typeof openQueues>>;

export async function openQueues() {
  const server: TestServer = await openTestServer();
  const clock: HeldClock = holdClock();
  const store = createQueuesStore(server.services.database);
  const runners: QueuesService[] = [];
  const errors: unknown[] = [];
  return {
    server,
    clock,
    store,
    /** The errors that runners reported. */
    errors,
    /** Starts a separate runner on the server's database, like a second process. */
    async run(
      work: QueueWork,
      {
        isShared = false,
        holder = 'one',
        isBusy = (): boolean => false,
        ...more
      }: Partial<Pick<QueuesOptions, 'store' | 'isShared' | 'holder' | 'isBusy' | 'places'>> &
        Pick<QueueKind, 'onEmpty'> = {},
    ) {
      const { onEmpty, ...limits } = more;
      const onError = (error: unknown): void => void errors.push(error);
      const runner = createQueuesService({
        store,
        holder,
        clock,
        isShared,
        isBusy,
        recentDeliveries: () => 0,
        ...limits,
        onError,
      });
      runners.push(runner);
      runner.register('test', { open: async () => work, ...(onEmpty && { onEmpty }) });
      await runner.prepare();
      runner.start();
      return runner;
    },
    /** Adds items, whose details are their names, to a queue of the kind `test`. */
    async add(
      items: readonly (Partial<NewItem> & { name: string })[],
      owner = 'queue',
      teamId: string | null = null,
    ): Promise<void> {
      const added = items.map(({ name, ...item }) => ({ event: null, detail: bytesOf(name), ...item }));
      await store.write([
        ...store.createQueueStatements('test', owner, teamId),
        ...store.addItemsStatements('test', owner, added, clock.now()),
      ]);
    },
    /** The number of items by outcome. */
    outcomes: () => rowsOf(server, 'SELECT outcome, count(*) FROM queue_items GROUP BY outcome ORDER BY outcome'),
    async close(): Promise<void> {
      await Promise.all(runners.map(runner => runner.stop()));
      await server.close();
    },
  };
}
