/*
 * Sends an alert's notifications in order, at most one successful one a minute. A failed notification is retried for a day; one
 * that the receiver rejects permanently is tried three times.
 */
import { alertErrors } from '../../core/alert.ts';
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
  store: Pick<AlertsStore, 'open' | 'saveSentStatement' | 'saveGivenUpStatement' | 'saveFailureStatement'>;
  /** Undefined if the stored channel cannot be decrypted. */
  channelOf: (alert: OpenAlert) => Channel | undefined;
  toMessage: (alert: OpenAlert, notification: Notification) => Message;
  send: SendAlert;
  clock: Clock;
  /** Counts an email against the team's limit. @returns 0, or the seconds until the team may send one */
  takeEmail: (teamId: string) => number;
  onSent: (type: Channel['type'], result: 'ok' | 'failed') => void;
};

export const createAlertQueueKind = (options: AlertWorkOptions): QueueKind => ({
  async open(id) {
    const alert = await options.store.open(id);
    return alert && workOn(alert, options);
  },
});

function workOn(alert: OpenAlert, options: AlertWorkOptions): QueueWork {
  const { store, channelOf, toMessage, send, clock, takeEmail, onSent } = options;
  const { id } = alert;
  // `max`: the wall clock may have gone back since.
  const sinceMs = alert.lastSentAt === null ? minuteMs : Math.max(0, clock.now() - alert.lastSentAt);
  let takenAtMs = clock.monotonic() - Math.min(sinceMs, minuteMs);

  const resultOf = ({ attempts }: QueueItem, sent: SendResult): WorkResult => {
    if (sent.ok) return { kind: 'removed', also: [store.saveSentStatement(id, clock.now())] };
    const error = sent.error ?? 'not sent';
    const tries = attempts + 1;
    if (tries >= (sent.isFinal ? maxRefusals : maxAttempts))
      return { kind: 'removed', also: [store.saveGivenUpStatement(id, alertErrors.givenUp(error))] };
    const inMs = Math.max(firstDelaysMs[attempts] ?? laterDelayMs, Math.min(sent.retryAfterMs ?? 0, maxRetryAfterMs));
    return { kind: 'retry', inMs, status: sent.status, error, also: [store.saveFailureStatement(id, error)] };
  };

  return {
    concurrency: () => 1,
    destination: () => `alert ${id}`,
    giveUp: (_, reason) => ({ kind: 'removed', also: [store.saveGivenUpStatement(id, alertErrors.givenUp(reason))] }),
    startInMs: () => Math.max(0, takenAtMs + minuteMs - clock.monotonic()),
    async work(item, signal) {
      const alert = await store.open(id);
      if (!alert?.enabled || item.detail === null) return { kind: 'removed' };
      const channel = channelOf(alert);
      if (!channel) return { kind: 'removed', also: [store.saveGivenUpStatement(id, alertErrors.channelUnreadable)] };
      const waitS = channel.type === 'email' ? takeEmail(alert.teamId) : 0;
      if (waitS > 0) {
        const error = 'too many emails in an hour: it is sent later';
        const later = { kind: 'retry', inMs: waitS * 1000, status: null, error } as const;
        return { ...later, also: [store.saveFailureStatement(id, error)] };
      }
      const notification = JSON.parse(Buffer.from(item.detail).toString()) as Notification;
      const sent = await send(channel, toMessage(alert, notification), signal);
      if (signal.aborted && !sent.ok) return { kind: 'interrupted' };
      if (sent.ok) takenAtMs = clock.monotonic();
      onSent(channel.type, sent.ok ? 'ok' : 'failed');
      return resultOf(item, sent);
    },
  };
}
