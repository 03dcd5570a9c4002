/*
 * Checks all enabled alerts every 5 seconds, in the background. Every check advances the alert clock in its transaction, which
 * fails if another process has advanced the clock first, so one process at a time does the work. The alert clock counts only the
 * time in which servers checked alerts: it stops while no server runs, and it ignores changes of the wall clock. Notifications
 * enter the alert's queue in the transaction that saves the alert's new state.
 */
import type { InStatement } from '@libsql/client';
import { alertQueueName } from '../../core/alert.ts';
import type { Clock } from '../../core/clock.ts';
import { newId, type RandomBytes } from '../../core/ids/ids.ts';
import type { BackgroundJob, SliceResult } from '../../db/background.ts';
import type { QueuesService } from '../queues/service.ts';
import { type AlertState, check, type Notice, type Seen } from './conditions.ts';
import type { Notification } from './message.ts';
import type { AlertsStore, EnabledAlert, OpenAlert } from './store.ts';

/** How often alerts are checked. */
export const checkEveryMs = 5000;
/** A longer gap means that the server was suspended or could not reach its database. The alert clock skips that time. */
const maxGapMs = 30_000;
const alertsPerSlice = 10;

/** Observations of an alert since its position. */
export type Observe = (alert: OpenAlert) => Promise<{ seen: Seen; position: number }>;

/** One check of all alerts. It advances the alert clock in the database from `from` to `now`. */
type Pass = { from: number; now: number; elapsedMs: number; after: number };

export function createEvaluation({
  store,
  observe,
  queues,
  addJob,
  clock,
  random,
}: {
  store: AlertsStore;
  observe: Observe;
  queues: Pick<QueuesService, 'createQueueStatements' | 'addItemsStatements' | 'wake'>;
  addJob: (job: BackgroundJob) => { wake: () => void };
  clock: Clock;
  random: RandomBytes;
}) {
  /** The alert clock as this process last saw it, and when (monotonic ms). */
  let known: { time: number; atMs: number } | undefined;
  let pass: Pass | undefined;
  let isDue = false;

  /** Begins a check; undefined if another process does it. */
  const begin = async (): Promise<Pass | undefined> => {
    const time = await store.clock();
    const atMs = clock.monotonic();
    const elapsedMs = Math.round(atMs - (known?.atMs ?? atMs));
    const isMine = known?.time === time && elapsedMs > 0 && elapsedMs <= maxGapMs;
    if (!isMine) known = { time, atMs };
    else known = { time: time + elapsedMs, atMs };
    return isMine ? { from: time, now: time + elapsedMs, elapsedMs, after: 0 } : undefined;
  };

  const notificationStatements = (alert: OpenAlert, notice: Notice): InStatement[] => {
    const at = clock.now();
    const detail: Notification = { ...notice, id: newId('msg', at, random), at };
    const item = { event: null, lane: laneOfAlert, detail: Buffer.from(JSON.stringify(detail)) };
    return [
      ...queues.createQueueStatements(alertQueueName, alert.id, alert.teamId),
      ...queues.addItemsStatements(alertQueueName, alert.id, [item]),
    ];
  };

  /** The statements that save one alert's state. */
  const checkAlert = async (
    alert: EnabledAlert,
    { now, elapsedMs }: Pass,
  ): Promise<{ statements: InStatement[]; hasNotice: boolean }> => {
    const { seen, position } = await observe(alert);
    const before = JSON.parse(alert.state.toString()) as AlertState;
    const { firing: wasFiring, isWaiting } = alert;
    const { state, firing, notice } = check(alert, { state: before, firing: wasFiring, isWaiting }, seen, {
      now,
      elapsedMs,
    });
    const text = JSON.stringify(state);
    if (text === alert.state.toString() && position === alert.position && !notice)
      return { statements: [], hasNotice: false };
    const changedAt = notice ? clock.now() : null;
    return {
      statements: [
        ...store.saveStateStatements(alert, { state: text, position, firing, changedAt }),
        ...(notice ? notificationStatements(alert, notice) : []),
      ],
      hasNotice: notice !== undefined,
    };
  };

  const slice = async (): Promise<SliceResult> => {
    if (!pass && !isDue) return 'done';
    isDue = false;
    const alerts = await store.enabledAfter(pass?.after ?? 0, alertsPerSlice);
    if (alerts.length === 0) {
      // Without alerts nothing is written, so the alert clock may be unknown.
      if (!pass) known = undefined;
      pass = undefined;
      return 'done';
    }
    const current = pass ?? (await begin());
    pass = undefined;
    if (!current) return 'done';
    const statements = store.moveClockStatements(current.from, current.now);
    const noticed: string[] = [];
    for (const alert of alerts) {
      const found = await checkAlert(alert, current);
      statements.push(...found.statements);
      if (found.hasNotice) noticed.push(alert.id);
    }
    // Another process was first, or a person has changed one of these alerts: the next check starts from the new state.
    if (!(await store.write(statements))) {
      known = undefined;
      return 'done';
    }
    for (const id of noticed) queues.wake(alertQueueName, id);
    pass = { ...current, from: current.now, after: alerts.at(-1)?.seq ?? 0 };
    return 'more';
  };

  const { wake } = addJob({
    name: 'alerts',
    slice: async () => {
      try {
        return await slice();
      } catch (error) {
        pass = undefined;
        throw error;
      }
    },
  });
  return {
    /** Checks all alerts. */
    wake(): void {
      isDue = true;
      wake();
    },
  };
}

/** Notifications of one alert go out one after the other. */
const laneOfAlert = Buffer.from('alert');
