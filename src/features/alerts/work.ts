/*
 * How notifications are sent: in order, at most one a minute that is taken, again and again for a day when it is not. What a receiver
 * refuses for good is tried three times.
 */
import type { Clock } from '../../core/clock.ts';
import type { QueueItem, QueueKind, QueueWork, WorkResult } from '../queues/queue.ts';
import type { Channel, SendAlert, SendResult } from './channels.ts';
import type { Message, Notification } from './message.ts';
import type { AlertsStore, OpenAlert } from './store.ts';

const minuteMs = 60_000;
const firstDelaysMs = [10_000, 30_000, minuteMs, 5 * minuteMs, 15 * minuteMs];
const laterDelayMs = 60 * minuteMs;
const maxRetryAfterMs = 60 * minuteMs;
/** About a day. */
const maxAttempts = 28;
const maxRefusals = 3;

export type AlertWorkOptions = {
  store: Pick<AlertsStore, 'open' | 'noteSent' | 'noteFailed'>;
  /** undefined when it cannot be opened. */
  channelOf: (alert: OpenAlert) => Channel | undefined;
  toMessage: (alert: OpenAlert, notification: Notification) => Message;
  send: SendAlert;
  clock: Clock;
  onSent: (type: Channel['type'], result: 'ok' | 'failed') => void;
};

export const createAlertQueueKind = (options: AlertWorkOptions): QueueKind => ({
  open: async id => ((await options.store.open(id)) ? workOn(id, options) : undefined),
});

function workOn(id: string, { store, channelOf, toMessage, send, clock, onSent }: AlertWorkOptions): QueueWork {
  let takenAtMs = Number.NEGATIVE_INFINITY;

  const resultOf = ({ attempts }: QueueItem, sent: SendResult): WorkResult => {
    if (sent.ok) return { kind: 'removed', also: [store.noteSent(id, clock.now())] };
    const error = sent.error ?? 'not sent';
    const tries = attempts + 1;
    if (tries >= (sent.isFinal ? maxRefusals : maxAttempts))
      return { kind: 'removed', also: [store.noteFailed(id, `given up: ${error}`)] };
    const inMs = Math.max(firstDelaysMs[attempts] ?? laterDelayMs, Math.min(sent.retryAfterMs ?? 0, maxRetryAfterMs));
    return { kind: 'retry', inMs, status: sent.status, error, also: [store.noteFailed(id, error)] };
  };

  return {
    concurrency: () => 1,
    destination: () => `alert ${id}`,
    startInMs: () => Math.max(0, takenAtMs + minuteMs - clock.monotonic()),
    async work(item, signal) {
      const alert = await store.open(id);
      if (!alert?.enabled || item.detail === null) return { kind: 'removed' };
      const channel = channelOf(alert);
      if (!channel) return { kind: 'removed', also: [store.noteFailed(id, 'HOOKTAPE_SECRET has changed')] };
      const notification = JSON.parse(Buffer.from(item.detail).toString()) as Notification;
      const sent = await send(channel, toMessage(alert, notification), signal);
      if (signal.aborted && !sent.ok) return { kind: 'interrupted' };
      if (sent.ok) takenAtMs = clock.monotonic();
      onSent(channel.type, sent.ok ? 'ok' : 'failed');
      return resultOf(item, sent);
    },
  };
}
