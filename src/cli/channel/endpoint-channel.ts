/* One endpoint of a channel: pushes each event that wakes once, and moves the position past events that are done. */
import { decodeFeedCursor } from '../../core/ids/feed-cursor.ts';
import type { FeedPage } from '../../features/feed/model.ts';
import { type Api, RefusedError, whenRefused } from '../client/api.ts';
import { safeLine } from '../client/output.ts';
import { type Io, OperationError } from '../io.ts';
import { createFeedReader } from '../listen/feed-reader.ts';
import { createChanges, type EndpointTask } from '../listen/pause.ts';
import { createPosition, putConsumer, readConsumer } from '../listen/position.ts';
import { createSettling, type Entry } from '../listen/settle.ts';
import { type ChannelNotification, notificationOf } from './notification.ts';
import type { ChannelOptions } from './options.ts';
import { createWaking } from './waking.ts';

export type ChannelStart = {
  endpoint: { id: string; name: string };
  cursor: string;
  etag: string | undefined;
  /** Whether this session has created the position. */
  isNew: boolean;
};
export type EndpointChannel = ReturnType<typeof createEndpointChannel>;

/** The most events that may wait for `done`. More would only fill the agent's context. */
const maxPending = 1000;

/**
 * Reads the position, or creates it after the newest event. A position that exists is written, too, so that a key that may not
 * write is refused before the session begins.
 * @throws RefusedError, UnreachableError
 */
export async function findChannelStart(
  api: Api,
  endpoint: ChannelStart['endpoint'],
  name: string,
): Promise<ChannelStart> {
  for (;;) {
    const existing = await readConsumer(api, endpoint.id, name);
    try {
      const given = { endpointId: endpoint.id, name, cursor: existing?.consumer.cursor ?? 'now' };
      const { consumer, etag } = await putConsumer(api, given, existing ? {} : { 'if-none-match': '*' });
      return { endpoint, cursor: consumer.cursor, etag, isNew: !existing };
    } catch (error) {
      const status = error instanceof RefusedError ? error.status : undefined;
      // Another session has moved it on since, or created it.
      if (status === 409 && existing)
        return { endpoint, cursor: existing.consumer.cursor, etag: undefined, isNew: false };
      if (status !== 412 || existing) throw error;
    }
  }
}

export function createEndpointChannel(given: {
  io: Io;
  task: EndpointTask;
  start: ChannelStart;
  options: ChannelOptions;
  push: (notification: ChannelNotification) => void;
  onState: (problem: string | undefined) => void;
}) {
  const { io, task, start, options, push, onState } = given;
  const { endpoint } = start;
  const { api, signal } = task;
  const say = (text: string): void => task.notify(`${safeLine(endpoint.name)}: ${text}`);
  const settling = createSettling<string>(1, { retries: 0, onFail: 'hold', concurrency: 1 }, () => 0);
  /** Every event that this session has pushed. */
  const pushed = new Map<string, Entry<string>>();
  const changes = createChanges();
  const { name } = options;
  const position = createPosition({ ...task, notify: say, name, etag: start.etag, onSaved: () => {} });
  const since = start.isNew ? (decodeFeedCursor(endpoint.id, start.cursor) ?? 0) : 0;
  const wakingOf = createWaking({ api, endpointId: endpoint.id, signal, since, options });

  /** Which events wake is known before the first is pushed, so that a page can be read again. */
  const takePage = async (page: FeedPage): Promise<void> => {
    const waking = await wakingOf(page.events);
    if (signal.aborted) return;
    if (page.truncated) say('retention removed some events before they were pushed');
    for (const event of waking) {
      pushed.set(event.id, settling.add(event.id, event.cursor, [0]));
      push(notificationOf(endpoint.name, event));
    }
    settling.endPage(page.cursor);
  };

  const reader = createFeedReader({
    ...task,
    notify: say,
    clock: io.clock,
    where: options.where,
    after: start.cursor,
    async untilWanted() {
      while (settling.unsettled() >= maxPending && !signal.aborted) await changes.next();
    },
    onPage: takePage,
    onState,
  });

  return {
    endpoint,

    /** Reads the feed until the session ends. @throws OperationError if the endpoint was deleted, RefusedError */
    async run(): Promise<void> {
      signal.addEventListener('abort', changes.tell);
      void position.run();
      await reader.run().catch(
        whenRefused(404, () => {
          throw new OperationError(`the endpoint ${endpoint.name} has been deleted`);
        }),
      );
    },

    has: (eventId: string): boolean => pushed.has(eventId),

    /** Marks a pushed event as done. @throws RefusedError, UnreachableError if the position can be saved only later */
    async done(eventId: string): Promise<void> {
      const [task] = pushed.get(eventId)?.tasks ?? [];
      if (task) settling.giveUp(task);
      changes.tell();
      const cursor = settling.position();
      if (cursor !== undefined) position.moveTo(cursor);
      await position.flush();
    },

    /** The number of older events that are not done: while there are any, the next session gets this one again. */
    olderOpen(eventId: string): number {
      const entry = pushed.get(eventId);
      return entry ? settling.unsettledBefore(entry) : 0;
    },

    flush: position.flush,
  };
}
