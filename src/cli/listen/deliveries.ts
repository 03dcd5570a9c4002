/*
 * The deliveries of one endpoint: events from the feed go to the maps that match them, in order, until each is settled (settle.ts
 * decides when a delivery may start). Contents are kept in memory up to a limit. While one map is blocked and others continue,
 * its events are kept only by id and are read again when it is their turn.
 */
import type { Clock } from '../../core/clock.ts';
import type { CapturedEvent, SessionEvent, TargetResponse } from './model.ts';
import { type Changes, createChanges, type Pause } from './pause.ts';
import { createSettling, type Entry, type Policy, type Task } from './settle.ts';
import { type Delivery, nothingSent, type Target, withoutRequest } from './target.ts';

/** `content`: undefined if it must be read again. */
type Pending = { about: CapturedEvent; content: CapturedEvent | undefined };

export type Deliveries = ReturnType<typeof createDeliveries>;

const maxContentBytes = 32 << 20;
const maxWaiting = 200;
/** Includes events that are kept by id for blocked maps. */
const maxPlaces = 50_000;
const rereadMs = 1000;

const withoutContent = (event: CapturedEvent): CapturedEvent => ({ ...event, headers: [], body: new Uint8Array() });

const notDelivered = (error: Error): Delivery => ({ answer: nothingSent(error.message), ...withoutRequest });

export function createDeliveries(options: {
  clock: Clock;
  targets: readonly Target[];
  policy: Policy;
  pause: Pause;
  /** Aborted when no more deliveries should start. */
  stopping: AbortSignal;
  /** Aborted when deliveries in progress should be aborted. */
  aborting: AbortSignal;
  isPaused: () => boolean;
  /** @returns undefined if the event no longer exists @throws UnreachableError, RefusedError */
  read: (eventId: string) => Promise<CapturedEvent | undefined>;
  say: (event: SessionEvent) => void;
  report: (delivery: Delivery) => void;
  /** Called with a position before which everything is settled. */
  onPosition: (cursor: string) => void;
  hintFor: (event: CapturedEvent, answer: TargetResponse, isBodyEdited: boolean) => Promise<string | null>;
  /** Called if `--on-fail stop` gave a delivery up. */
  onStop: (reason: string) => void;
}) {
  const { clock, targets, policy, pause, stopping, aborting, isPaused, read, say, report, hintFor } = options;
  const settling = createSettling<Pending>(targets.length, policy, Math.random);
  const changes: Changes = createChanges();
  /** The bytes of the kept events, and of all unsettled events. */
  let contentBytes = 0;
  let unsettledBytes = 0;
  let nextTry: number | undefined;
  const now = clock.monotonic;
  const targetOf = ({ lane }: Task<Pending>): Target => targets[lane] as Target;

  const tellPosition = (): void => {
    const position = settling.position();
    if (position !== undefined) options.onPosition(position);
    changes.tell();
  };
  const onSettled = ({ event: { about, content }, tasks }: Entry<Pending>, answer: TargetResponse | null): void => {
    if (content) contentBytes -= content.body.length;
    unsettledBytes -= about.size;
    const [only, ...others] = tasks;
    const isOne = only !== undefined && others.length === 0;
    const target = isOne ? targetOf(only).name : null;
    say({ kind: 'settled', event: about, target, attempt: isOne ? only.attempts : 0, answer: isOne ? answer : null });
    tellPosition();
  };
  /** An event without a target is settled once it has been printed. If it cannot be printed, the session has already ended. */
  const settleWhenPrinted = (event: CapturedEvent, cursor: string | undefined, reason?: string): void => {
    const about = withoutContent(event);
    say({ kind: 'received', event, targets: [] });
    if (reason !== undefined) say({ kind: 'skipped', event: about, target: null, attempt: 0, reason });
    say({ kind: 'settled', event: about, target: null, attempt: 0, answer: null });
    if (stopping.aborted) return;
    settling.add({ about, content: undefined }, cursor, []);
    tellPosition();
  };
  const skip = (task: Task<Pending>, reason: string, answer: TargetResponse | null = null): void => {
    const isSettled = settling.giveUp(task);
    const { entry, attempts: attempt } = task;
    say({ kind: 'skipped', event: entry.event.about, target: targetOf(task).name, attempt, reason });
    if (isSettled) onSettled(entry, answer);
  };

  const onFailure = async (task: Task<Pending>, event: CapturedEvent, delivery: Delivery): Promise<void> => {
    const { answer, retryAfterMs } = delivery;
    const { attempts: attempt } = task;
    // First, because the task may be skipped manually during the wait.
    const hint = await hintFor(event, answer, false);
    const after = settling.fail(task, now(), retryAfterMs);
    if (!after) return;
    const { next } = after;
    const nextAt = next === 'retry' || next === 'hold' ? Math.round(clock.now() + after.dueAt - now()) : null;
    say({ kind: 'failed', event, target: targetOf(task).name, attempt, answer, cause: 'feed', next, nextAt, hint });
    if (next === 'skip' && stopping.aborted) settling.putBack(task, now());
    else if (next === 'skip')
      skip(task, `not delivered after ${attempt} ${attempt === 1 ? 'attempt' : 'attempts'}`, answer);
    if (next === 'stop') options.onStop(`${event.id} was not delivered to ${targetOf(task).name}: ${answer.error}`);
  };

  /** undefined if the event no longer exists or has to be read again later; the target is not at fault. */
  const contentOf = async (task: Task<Pending>): Promise<CapturedEvent | undefined> => {
    const { about, content } = task.entry.event;
    if (content) return content;
    try {
      const event = await read(about.id);
      if (!event) skip(task, 'the event was deleted');
      return event;
    } catch (error) {
      settling.putBack(task, now() + rereadMs);
      if (!aborting.aborted) say({ kind: 'notice', text: `${about.id} cannot be read: ${(error as Error).message}` });
      return undefined;
    }
  };

  const deliver = async (task: Task<Pending>): Promise<void> => {
    const { entry } = task;
    const event = await contentOf(task);
    if (!event) return;
    const delivery = await targetOf(task).deliver(event, aborting).catch(notDelivered);
    const { answer, notice } = delivery;
    if (notice !== undefined && task.attempts === 1) say({ kind: 'notice', text: notice });
    // The end of the session may have caused the failure, as Ctrl+C also ends programs. It is neither retried nor given up.
    if (!answer.isOk && stopping.aborted) return settling.putBack(task, now());
    report(delivery);
    if (!answer.isOk) return onFailure(task, event, delivery);
    const { name: target } = targetOf(task);
    say({ kind: 'answered', event, target, attempt: task.attempts, answer, cause: 'feed' });
    if (settling.succeed(task)) onSettled(entry, answer);
  };

  const run = async (task: Task<Pending>): Promise<void> => {
    await deliver(task);
    changes.tell();
  };

  const wakeAt = (dueAt: number | undefined): void => {
    if (dueAt === undefined || dueAt === nextTry) return;
    nextTry = dueAt;
    void pause(Math.max(0, dueAt - now())).then(() => {
      if (nextTry === dueAt) nextTry = undefined;
      changes.tell();
    });
  };

  /** Whether to read further events: there is space, or a map is idle while another map is blocked. */
  const wantsMore = (): boolean => {
    if (settling.size() < maxWaiting && unsettledBytes < maxContentBytes) return true;
    const states = settling.laneStates();
    const going = states.filter(({ isBlocked }) => !isBlocked);
    const isAnyBlocked = going.length > 0 && going.length < states.length;
    return isAnyBlocked && settling.size() < maxPlaces && going.every(({ waiting }) => waiting < maxWaiting);
  };

  return {
    /** Call it after an external change, such as a pause. */
    wake: changes.tell,
    unsettled: settling.unsettled,
    /** Includes settled events after unsettled ones. */
    places: settling.size,
    wantsMore,

    /** Starts every delivery that may start, until the session stops. */
    async run(): Promise<void> {
      while (!stopping.aborted) {
        if (!isPaused()) for (const task of settling.start(now())) void run(task);
        wakeAt(settling.nextDueAt());
        await changes.next();
      }
    },

    async untilWanted(): Promise<void> {
      while (!stopping.aborted && !wantsMore()) await changes.next();
    },
    async untilIdle(): Promise<void> {
      while (settling.running() > 0) await changes.next();
    },

    /** @param cursor the position after it, if known @param wantedBy targets; without any, it only has to be printed */
    add(event: CapturedEvent, cursor: string | undefined, wantedBy: readonly number[]): void {
      if (wantedBy.length === 0) {
        settleWhenPrinted(event, cursor);
        return;
      }
      const isKept = contentBytes === 0 || contentBytes + event.body.length <= maxContentBytes;
      settling.add({ about: withoutContent(event), content: isKept ? event : undefined }, cursor, wantedBy);
      unsettledBytes += event.size;
      if (isKept) contentBytes += event.body.length;
      say({ kind: 'received', event, targets: wantedBy.map(at => targets[at]?.name ?? '') });
    },
    /** Skips a damaged event, which cannot be sent. */
    leaveOut: settleWhenPrinted,
    endPage(cursor: string): void {
      settling.endPage(cursor);
      tellPosition();
    },

    /** Settles an event for a target that has received it by other means. */
    settle(eventId: string, target: Target, answer: TargetResponse): void {
      const entry = settling.find(({ about }) => about.id === eventId);
      for (const task of entry?.tasks ?? [])
        if (entry && targetOf(task) === target && settling.giveUp(task)) onSettled(entry, answer);
    },
    /** Gives up an event for all targets that have not settled it. @returns whether there were any */
    skip(eventId: string): boolean {
      const entry = settling.find(({ about }) => about.id === eventId);
      for (const task of entry?.tasks ?? []) if (task.state !== 'done') skip(task, 'skipped manually');
      changes.tell();
      return entry !== undefined;
    },
  };
}
