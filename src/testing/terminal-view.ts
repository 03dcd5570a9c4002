/* The terminal view on an emulated terminal, with a session and timers that a test leads. */

import type { ListenSession } from '../cli/listen/model.ts';
import { createTerminalView, type ViewOptions } from '../cli/listen/tui/view.ts';
import { holdClock } from './clock.ts';
import { createLedSession } from './listen-session.ts';
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
    /** What is on the screen after everything that waits has been drawn. */
    screen: async (): Promise<string[]> => {
      // Promises of the session resolve first.
      await Bun.sleep(0);
      tick();
      return emulator.lines();
    },
  };
}
