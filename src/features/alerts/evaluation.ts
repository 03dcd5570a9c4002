/*
 * Checks alerts in the background, each only when it is due: because its endpoint has new events, because something else that it
 * is about has changed (the triggers of migration 29), or because its time has come. Every 5 seconds, one query asks for new
 * events and one for due alerts, however many alerts there are. Every pass advances the alert clock in its transactions, which
 * fail if another process has advanced the clock first, so one process at a time does the work. The alert clock counts only the
 * time in which servers checked alerts: it stops while no server runs, and it ignores changes of the wall clock. What woke an
 * alert is stored, so a kill loses nothing. Notifications enter the alert's queue in the transaction that saves its new state.
 */
import type { InStatement } from '@libsql/client';
import { alertQueueName } from '../../core/alert.ts';
import type { Clock } from '../../core/clock.ts';
import { newId, type RandomBytes } from '../../core/ids/ids.ts';
import type { BackgroundJob, SliceResult } from '../../db/background.ts';
import type { QueuesService } from '../queues/service.ts';
import { type AlertState, changeOf, check, type Notice, nextCheckAt, type Seen } from './conditions.ts';
import { type Notification, toChangeRow } from './message.ts';
import type { AlertsStore, DueAlert, OpenAlert } from './store.ts';

/** How often due alerts are looked for. */
export const checkEveryMs = 5000;
/** A longer gap means that the server was suspended or could not reach its database. The alert clock skips that time. */
const maxGapMs = 30_000;
const alertsPerSlice = 10;
/** When an alert with more new events than one check reads is checked again. */
const moreMs = 1000;

/** Observations of an alert since its position. `hasMore`: the next check reads on. @param last the highest row number of an event */
export type Observe = (alert: OpenAlert, last: number) => Promise<{ seen: Seen; position: number; hasMore: boolean }>;

/**
 * One check of all due alerts. The alert clock in the database is at `from`, and is advanced to `now`. Events up to `position` have
 * woken their alerts.
 */
type Pass = { from: number; now: number; position: number; lastSeq: number };

export function createEvaluation(options: {
  store: AlertsStore;
  observe: Observe;
  queues: Pick<QueuesService, 'createQueueStatements' | 'addItemsStatements' | 'wake'>;
  addJob: (job: BackgroundJob) => { wake: () => void };
  clock: Clock;
  random: RandomBytes;
  /** Called after changes of the state of alerts were written. */
  onChanges: () => void;
}) {
  const { store, observe, queues, addJob, clock, random, onChanges } = options;
  /** The alert clock as this process last saw it, and since when; and when this process last wrote it (monotonic ms). */
  let known: { time: number; atMs: number; writtenMs: number } | undefined;
  let isDue = false;
  /** Whether a check goes on in the next slice. */
  let isContinued = false;

  /** Begins a check; undefined if there is no enabled alert, or another process does it. */
  const begin = async (): Promise<Pass | undefined> => {
    const { time, position, lastSeq, hasAlerts } = await store.progress();
    // Without alerts nothing is written, so the alert clock may be unknown.
    if (!hasAlerts) known = undefined;
    if (!hasAlerts) return undefined;
    const atMs = clock.monotonic();
    // Each slice moves the clock, so that of several processes one continues.
    const elapsedMs = Math.max(Number(isContinued), Math.round(atMs - (known?.atMs ?? atMs)));
    const isMine = known?.time === time && elapsedMs > 0 && atMs - known.writtenMs <= maxGapMs;
    const now = isMine ? time + elapsedMs : time;
    known = { time: now, atMs, writtenMs: atMs };
    return isMine ? { from: time, now, position, lastSeq } : undefined;
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
    alert: DueAlert,
    { now, lastSeq }: Pass,
  ): Promise<{ statements: InStatement[]; hasNotice: boolean; hasChange: boolean }> => {
    const { seen, position, hasMore } = await observe(alert, lastSeq);
    const before = JSON.parse(alert.state.toString()) as AlertState;
    const { firing: wasFiring, isWaiting } = alert;
    const { state, firing, notice } = check(alert, { state: before, firing: wasFiring, isWaiting }, seen, now);
    const dueAt = hasMore ? now + moreMs : nextCheckAt(alert, { state, firing, isWaiting }, seen, now);
    const changedAt = notice ? clock.now() : null;
    const change = changeOf(alert, before, state, seen);
    return {
      statements: [
        ...store.saveStateStatements(alert, { state: JSON.stringify(state), position, firing, changedAt, dueAt }),
        ...(notice ? notificationStatements(alert, notice) : []),
        ...(change ? [store.addChangeStatement(toChangeRow(alert, change, { at: clock.now(), random }))] : []),
      ],
      hasNotice: notice !== undefined,
      hasChange: change !== undefined,
    };
  };

  /** Writes with the alert clock. @returns false if another process was first, or a person has changed one of these alerts */
  const write = async ({ from, now }: Pass, statements: readonly InStatement[]): Promise<boolean> => {
    const isWritten = await store.write([...store.moveClockStatements(from, now), ...statements]);
    // After a failure, the next check starts from the new state.
    known = isWritten && known ? { ...known, writtenMs: clock.monotonic() } : undefined;
    return isWritten;
  };

  /** Reads the clock and new events in each slice, so that they do not wait for the end of a long check. @returns whether there is more */
  const checkSome = async (): Promise<boolean> => {
    const current = await begin();
    if (!current) return false;
    if (current.position < current.lastSeq) {
      const found = await store.newEvents(current.position, current.lastSeq);
      return write(current, store.wakeByEventsStatements(found));
    }
    const alerts = await store.due(current.now, alertsPerSlice);
    if (alerts.length === 0) {
      await write(current, []);
      return false;
    }
    const checked = [];
    for (const alert of alerts) checked.push({ id: alert.id, ...(await checkAlert(alert, current)) });
    const isWritten = await write(
      current,
      checked.flatMap(({ statements }) => statements),
    );
    if (isWritten) for (const { id, hasNotice } of checked) if (hasNotice) queues.wake(alertQueueName, id);
    if (isWritten && checked.some(({ hasChange }) => hasChange)) onChanges();
    return isWritten;
  };

  const slice = async (): Promise<SliceResult> => {
    if (!isDue && !isContinued) return 'done';
    isDue = false;
    try {
      isContinued = await checkSome();
    } catch (error) {
      isContinued = false;
      throw error;
    }
    return isContinued ? 'more' : 'done';
  };

  const { wake } = addJob({ name: 'alerts', slice });
  return {
    /** Checks the alerts that are due. */
    wake(): void {
      isDue = true;
      wake();
    },
  };
}

/** Notifications of one alert go out one after the other. */
const laneOfAlert = Buffer.from('alert');
