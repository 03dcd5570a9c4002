/* Alerts outside their feature: the kind of their queues, what notifications report, and why one was not delivered. */
import { type AlertErrorCode, type AlertKind, alertKinds, kindTakes } from '../shared/alerts.ts';
import { destinationRefusalOf } from '../shared/problem-codes.ts';

/** Kinds that report something new each time. The others have a condition that begins and ends. */
export const reportingKinds: ReadonlySet<AlertKind> = new Set(alertKinds.filter(kind => !kindTakes[kind].isCondition));

/** The kind of the queues that hold notifications; each belongs to one alert. */
export const alertQueueName = 'alert';

export const alertChangesKeptMs = 30 * 24 * 3_600_000;

/** The `dueAt` of an alert that is checked at the next opportunity. */
export const dueAtOnce = -1;

/** States of storage that the operator is notified of. */
export const storageLevels = ['ok', 'low', 'failing'] as const;
export type StorageLevel = (typeof storageLevels)[number];

/** The messages of failed notifications that have a code. */
export const alertErrors = {
  channelUnreadable: 'HOOKTAPE_SECRET has changed',
  emailNotSetUp: 'email is not set up: HOOKTAPE_SMTP_URL',
  rejected: (status: number) => `the receiver answered ${status}`,
  /** The message after the last attempt. */
  givenUp: (error: string) => `given up: ${error}`,
};

type AlertError = {
  code: AlertErrorCode | null;
  status: number | null;
  isFinal: boolean;
};

/** What is known of a failed notification from the message that was stored. */
export function alertErrorOf(message: string | null): AlertError {
  if (message === null) return { code: null, status: null, isFinal: false };
  const isFinal = message.startsWith(alertErrors.givenUp(''));
  const error = isFinal ? message.slice(alertErrors.givenUp('').length) : message;
  const [status] = /(?<= )\d{3}$/.exec(error) ?? [];
  if (status !== undefined && error === alertErrors.rejected(Number(status)))
    return { code: 'rejected', status: Number(status), isFinal };
  if (error.startsWith(alertErrors.channelUnreadable))
    return { code: 'channel_unreadable', status: null, isFinal: true };
  if (error === alertErrors.emailNotSetUp) return { code: 'email_not_set_up', status: null, isFinal };
  return { code: destinationRefusalOf(error) ?? null, status: null, isFinal };
}
