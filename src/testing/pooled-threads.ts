/*
 * Database threads that serve one test server after another: starting a thread and loading its code takes longer than most tests. A
 * thread is used again only after its connection was closed; one that failed is ended.
 */
import type { ReplyMessage, RequestMessage } from '../db/threads/messages.ts';
import type { SpawnThread, ThreadName } from '../db/threads/prespawned-threads.ts';

const threadFiles = { writer: '../wiring/writer-thread.ts', reader: '../db/threads/reader-thread.ts' };

/** A thread of its own, which ends with `terminate`. */
export const spawnThread: SpawnThread = name => new Worker(new URL(threadFiles[name], import.meta.url).href);

const idle: Record<ThreadName, Worker[]> = { writer: [], reader: [] };

/** A thread that `terminate` keeps for the next caller if its connection is closed. */
export const borrowThread: SpawnThread = name => {
  const worker = idle[name].pop() ?? spawnThread(name);
  worker.ref();
  let closeId: number | undefined;
  let state: 'in use' | 'closed' | 'given back' = 'in use';
  // The part of a Worker that database threads use.
  const borrowed = Object.assign(new EventTarget(), {
    onmessage: null,
    onerror: null,
    postMessage: (message: RequestMessage, transfer: ArrayBuffer[] = []) => {
      if (message.kind === 'close') closeId = message.id;
      worker.postMessage(message, transfer);
    },
    terminate: () => {
      if (state === 'in use') worker.terminate();
      if (state !== 'closed') return;
      state = 'given back';
      worker.onmessage = worker.onerror = null;
      worker.removeEventListener('close', onEnd);
      worker.unref();
      idle[name].push(worker);
    },
  }) as unknown as Worker;
  worker.onmessage = (event: MessageEvent<ReplyMessage>) => {
    const { data } = event;
    if ('id' in data && data.id === closeId && !('error' in data)) state = 'closed';
    borrowed.onmessage?.(event);
  };
  worker.onerror = event => borrowed.onerror?.(event);
  const onEnd = (): void => void borrowed.dispatchEvent(new Event('close'));
  worker.addEventListener('close', onEnd);
  return borrowed;
};
