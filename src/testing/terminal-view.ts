/* The terminal view on an emulated terminal, with a session and timers that a test controls. */

import type { AfterFailure, CapturedEvent, ListenSession, TargetResponse } from '../cli/listen/model.ts';
import { createTerminalView, type ViewOptions } from '../cli/listen/tui/view.ts';
import { holdClock } from './clock.ts';
import { answer, capturedEvent, createLedSession, targetUrl } from './listen-session.ts';
import { createTerminalEmulator, createTerminalHost } from './terminal-emulator.ts';

type Given = {
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  session?: Partial<ListenSession>;
} & Partial<ViewOptions>;

export function openView({ columns = 80, rows = 24, env = {}, session: parts = {}, ...options }: Given = {}) {
  const emulator = createTerminalEmulator({ columns, rows });
  const process = createTerminalHost(emulator);
  const clock = holdClock(Date.UTC(2026, 10, 22, 14, 3, 30));
  const led = createLedSession(parts);
  const timers = new Map<() => void, number>();
  const view = createTerminalView(led.session, process.open(env), {
    edit: async body => body,
    openUrl: () => true,
    canCopy: true,
    clock,
    schedule: run => {
      const timer = (): void => run();
      timers.set(timer, 0);
      return () => void timers.delete(timer);
    },
    ...options,
  });
  /** Runs the timers that wait now. */
  const tick = (): void => {
    for (const timer of [...timers.keys()]) if (timers.delete(timer)) timer();
  };
  const press = (...keys: string[]): void => {
    for (const key of keys) process.emit('data', Buffer.from(key));
  };
  return {
    ...led,
    view,
    emulator,
    process,
    clock,
    tick,
    press,
    waitingTimers: () => timers.size,
    /** The screen after all pending changes have been drawn. */
    screen: async (): Promise<string[]> => {
      // Promises of the session resolve first.
      await Bun.sleep(0);
      tick();
      return emulator.lines();
    },
  };
}

export type LedView = ReturnType<typeof openView>;

export const connect = ({ say }: LedView): void =>
  say({ kind: 'connected', server: 'https://hooks.example.com', endpoints: ['acme'] });

export function receive(view: LedView, event: CapturedEvent, said?: TargetResponse): void {
  view.say({ kind: 'received', event, targets: [targetUrl] });
  if (!said) return;
  view.say({ kind: 'answered', event, target: targetUrl, attempt: 1, answer: said, cause: 'feed' });
  view.say({ kind: 'settled', event, target: targetUrl, attempt: 1, answer: said });
}
export const fail = (
  view: LedView,
  event: CapturedEvent,
  next: AfterFailure,
  said = answer(500),
  nextAt: number | null = null,
): void =>
  view.say({
    kind: 'failed',
    event,
    target: targetUrl,
    attempt: 1,
    answer: said,
    cause: 'feed',
    next,
    nextAt,
    hint: null,
  });

/** Three events, all with the response 200: evt_1 to evt_3 with the types one, two, three. */
export function openWithEvents(given: Parameters<typeof openView>[0] = {}) {
  const view = openView(given);
  connect(view);
  for (const [at, type] of ['one', 'two', 'three'].entries())
    receive(view, capturedEvent({ id: `evt_${at + 1}`, type, text: `{"number":${at + 1}}` }), answer(200));
  return view;
}
export const rowOf = (lines: readonly string[], part: string): string => lines.find(line => line.includes(part)) ?? '';
export const text = (lines: readonly string[]): string => lines.join('\n');
/** An Escape that counts immediately: after a single escape character, the view waits for the rest of a sequence. */
export const escapeKey = '\x1b\x1b\x1b';
export const pressEscape = (view: LedView): void => view.press(escapeKey);
