/*
 * Ends subscriptions. Their rows go at once, and with them everything that waits; a queue of its own tells the callback, signed
 * with the secrets that it had.
 */
import { terminationQueue } from '../../core/mcp-events/subscription.ts';
import type { QueueItem, QueueKind, WorkResult } from '../queues/queue.ts';
import type { Callback, CallbackTarget } from './callback.ts';
import { retryDelaysMs } from './work.ts';

/** What a callback gets to know: everything that the message needs, because its subscription is gone. */
export type Termination = { id: string; origin: string; sealed: string; webhookId: string; body: string };

export function createTerminationQueueKind(options: {
  openTarget: (id: string, sealed: Uint8Array) => CallbackTarget | undefined;
  post: Callback['post'];
  removeQueue: (owner: string) => Promise<unknown>;
}): QueueKind {
  const { openTarget, post, removeQueue } = options;
  const work = async (item: QueueItem, signal: AbortSignal): Promise<WorkResult> => {
    const { id, sealed, webhookId, body } = JSON.parse(Buffer.from(item.detail ?? []).toString()) as Termination;
    const target = openTarget(id, Buffer.from(sealed, 'base64'));
    if (!target) return { kind: 'removed' };
    const { status, error, isAborted } = await post(target, { subscriptionId: id, webhookId, body }, signal);
    if (isAborted) return { kind: 'interrupted' };
    const inMs = error === null || status === 410 || status === 413 ? undefined : retryDelaysMs[item.attempts];
    return inMs === undefined ? { kind: 'removed' } : { kind: 'retry', inMs, status, error };
  };
  return {
    open: async owner => ({
      concurrency: () => 1,
      destination: () => `${terminationQueue} ${owner}`,
      giveUp: () => ({ kind: 'removed' }),
      work,
    }),
    onEmpty: async owner => void (await removeQueue(owner)),
  };
}
