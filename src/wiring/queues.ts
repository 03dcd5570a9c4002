/* The runner of durable queues, which replay jobs, forwards and alerts use. */
import { createQueuesService } from '../features/queues/service.ts';
import { createQueuesStore } from '../features/queues/store.ts';
import type { CaptureLoad } from './events.ts';
import type { Infrastructure } from './infrastructure.ts';

export function createQueuesWiring(
  { direct, clock, random, isShared, onError }: Infrastructure,
  { isWaiting }: CaptureLoad,
) {
  const queues = createQueuesService({
    store: createQueuesStore(direct),
    holder: Buffer.from(random(12)).toString('hex'),
    clock,
    isShared,
    isBusy: isWaiting,
    onError,
  });
  return { queues };
}

export type QueuesWiring = ReturnType<typeof createQueuesWiring>;
