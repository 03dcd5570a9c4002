/*
 * The operator's alerts: an email when the disk fills up, when the database cannot be written, when the backup is too old, and when all
 * is well again. They must be sent while nothing can be written, so they do not wait in a queue. The last notification is saved in the
 * database if that is possible.
 */
import type { StorageLevel } from '../../core/alert.ts';
import type { Clock } from '../../core/clock.ts';
import { newId, type RandomBytes } from '../../core/ids/ids.ts';
import type { Mailer } from '../../net/mail.ts';
import type { AlertsStore, OperatorSubject } from './store.ts';

/** `reason`: text for the operator; empty for level `ok`. */
export type StorageState = { level: StorageLevel; reason: string };

const minuteMs = 60_000;
const texts: Record<OperatorSubject, { subjects: Record<StorageLevel, string>; resolved: string }> = {
  storage: {
    subjects: {
      ok: 'Resolved: storage works again',
      low: 'Alert: the disk is filling up',
      failing: 'Alert: deliveries cannot be stored',
    },
    resolved: 'Deliveries are stored again.',
  },
  backup: {
    subjects: {
      ok: 'Resolved: the backup is up to date again',
      low: 'Alert: the backup falls behind',
      failing: 'Alert: the backup falls behind',
    },
    resolved: 'Everything is in the object store again.',
  },
};

/** @returns a check to call every few seconds */
export function createStorageAlert(options: {
  about: OperatorSubject;
  /** Undefined while the server stops. */
  state: () => Promise<StorageState | undefined>;
  store: Pick<AlertsStore, 'lastLevel' | 'claimLevel'>;
  mailer: Mailer;
  to: string;
  /** The URL of this installation. */
  server: string;
  clock: Clock;
  random: RandomBytes;
  onError: (message: string) => void;
}): () => Promise<void> {
  const { about, state, store, mailer, to, server, clock, random, onError } = options;
  let reported: StorageLevel = 'ok';
  let previous: StorageLevel | undefined;
  let triedAtMs = Number.NEGATIVE_INFINITY;

  /**
   * Claims the notification in the database, so that only one process sends it. @returns false if another process has claimed it
   */
  const claim = async (level: StorageLevel): Promise<boolean> => {
    // If the database cannot be written, every process sends its own email.
    const isClaimed = await store.claimLevel(about, reported, level).catch(() => true);
    if (isClaimed) return true;
    reported = await store.lastLevel(about);
    return false;
  };

  return async () => {
    reported = await store.lastLevel(about).catch(() => reported);
    const now = await state();
    if (!now) return;
    const { level, reason } = now;
    // A single slow write is not a failure.
    const isSteady = level === previous;
    previous = level;
    if (level === reported || !isSteady || clock.monotonic() - triedAtMs < minuteMs) return;
    triedAtMs = clock.monotonic();
    const before = reported;
    if (!(await claim(level))) return;
    const sent = await mailer({
      id: newId('msg', clock.now(), random),
      to,
      subject: `[Hooktape] ${texts[about].subjects[level]}`,
      text: `${reason === '' ? texts[about].resolved : reason}\n\n${server}\n`,
    });
    if (sent.ok) reported = level;
    else {
      onError(sent.error ?? 'not sent');
      await store.claimLevel(about, level, before).catch(() => {});
    }
  };
}
