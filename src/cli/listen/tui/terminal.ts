/*
 * Uses the terminal of this process as a full screen, and restores it: alternate screen, cursor, line wrapping and input mode
 * are as before after `close`, at any end of the process (including an exception or `process.exit`), while another program has
 * the screen, and while the process is stopped or in the background.
 */
import type { Size } from './paint.ts';

/** The operations of the terminal that the view uses. */
export type Terminal = {
  readonly write: (text: string) => void;
  /** @returns a function that ends it */
  readonly onInput: (listener: (bytes: Uint8Array) => void) => () => void;
  /** Called when the size has changed, or when another program has used the screen. */
  readonly onResize: (listener: () => void) => () => void;
  readonly columns: number;
  readonly rows: number;
  readonly isColor: boolean;
};

export type FullScreen = Terminal & {
  /** Gives the terminal to another program until the returned function is called. */
  readonly lend: () => () => void;
  /** Ctrl+Z: returns to the shell. Continued in the background (`bg`), the process runs without a screen. */
  readonly suspend: () => void;
  readonly close: () => void;
};

type Input = {
  setRawMode: (isRaw: boolean) => unknown;
  on: (event: 'data', listener: (chunk: Uint8Array | string) => void) => unknown;
  off: (event: 'data', listener: (chunk: Uint8Array | string) => void) => unknown;
  resume: () => unknown;
  pause: () => unknown;
};
type Output = {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  on: (event: 'resize', listener: () => void) => unknown;
  off: (event: 'resize', listener: () => void) => unknown;
};
type HostEvent = 'exit' | 'uncaughtExceptionMonitor' | 'unhandledRejection' | 'SIGCONT' | 'SIGHUP';
/** The parts of the process that main.ts passes in. */
export type TerminalHost = {
  readonly input: Input;
  readonly output: Output;
  /** Synchronous, so that it still works at the end of the process. */
  readonly write: (text: string) => void;
  readonly on: (event: HostEvent, listener: (reason: unknown) => void) => unknown;
  readonly off: (event: HostEvent, listener: (reason: unknown) => void) => unknown;
  readonly exit: (code: number) => void;
  /** Reads the size again, because the system reports changes only to processes in the foreground. */
  readonly readSize: () => void;
  /** Ignores Ctrl+C while an editor runs: it is meant for the editor, but the system sends the signal to both. */
  readonly ignoreInterrupts: (isIgnored: boolean) => void;
  /** Whether the process may use the terminal. */
  readonly isForeground: () => boolean;
  readonly later: (run: () => void, ms: number) => void;
  /** Stops the whole group of processes, as Ctrl+Z does; undefined if the platform has no such signal. */
  readonly stop: (() => void) | undefined;
};

/** Alternate screen, no cursor, no wrapping at the last column, pasted text between marks. */
const enter = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[0m\x1b[2J';
const leave = '\x1b[?2026l\x1b[0m\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l';

/** How often a background process checks whether it has the terminal again, because there is no signal for that. */
const foregroundEveryMs = 200;
const defaultSize: Size = { columns: 80, rows: 24 };
/** 128 + SIGHUP */
const hangUpExitCode = 129;

/** Whether to use colours: not if the user disabled them or the terminal has none (https://no-color.org). */
export const wantsColor = (env: Readonly<Record<string, string | undefined>>): boolean =>
  !env['NO_COLOR'] && env['TERM'] !== 'dumb' && !/^(?:vt\d+|xterm-mono)$/.test(env['TERM'] ?? '');

export function openFullScreen(host: TerminalHost, env: Readonly<Record<string, string | undefined>>): FullScreen {
  const { input, output } = host;
  let state: 'shown' | 'lent' | 'closed' = 'lent';
  let isWaiting = false;
  const inputListeners = new Set<(bytes: Uint8Array) => void>();
  const resizeListeners = new Set<() => void>();

  const onData = (chunk: Uint8Array | string): void => {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    for (const listener of inputListeners) listener(bytes);
  };
  const onResize = (): void => {
    if (state === 'shown') for (const listener of resizeListeners) listener();
  };
  const show = (): void => {
    if (state !== 'lent' || isWaiting) return;
    if (!host.isForeground()) {
      waitForForeground();
      return;
    }
    state = 'shown';
    // Sets the normal mode first, because the shell may have changed it while the process was stopped.
    input.setRawMode(false);
    input.setRawMode(true);
    host.write(enter);
    input.on('data', onData);
    input.resume();
    host.readSize();
    onResize();
  };
  const hide = (): void => {
    if (state !== 'shown') return;
    leaveScreen();
    if (host.isForeground()) input.setRawMode(false);
  };
  const leaveScreen = (): void => {
    state = 'lent';
    host.write(leave);
    input.off('data', onData);
    input.pause();
  };
  const waitForForeground = (): void => {
    isWaiting = true;
    host.later(() => {
      isWaiting = false;
      show();
    }, foregroundEveryMs);
  };
  /** After a stop from elsewhere (`kill -STOP`), the shell has had the terminal and may have changed it. */
  const onContinue = (): void => {
    if (state !== 'shown') return;
    leaveScreen();
    show();
  };
  // Prints the error like Node without a listener, but on the screen of the shell.
  const onRejection = (reason: unknown): void => {
    close();
    throw reason;
  };
  const onHangUp = (): void => host.exit(hangUpExitCode);
  const close = (): void => {
    hide();
    if (state === 'closed') return;
    state = 'closed';
    output.off('resize', onResize);
    host.off('exit', close);
    host.off('uncaughtExceptionMonitor', close);
    host.off('unhandledRejection', onRejection);
    host.off('SIGCONT', onContinue);
    host.off('SIGHUP', onHangUp);
  };

  output.on('resize', onResize);
  host.on('exit', close);
  // Before the exception is printed: on the alternate screen, it would not be seen.
  host.on('uncaughtExceptionMonitor', close);
  host.on('unhandledRejection', onRejection);
  host.on('SIGCONT', onContinue);
  host.on('SIGHUP', onHangUp);
  show();

  const listen = <T>(listeners: Set<T>, listener: T): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    // While the shell or another program has the screen, nothing is written.
    write: text => (state === 'shown' ? host.write(text) : undefined),
    onInput: listener => listen(inputListeners, listener),
    onResize: listener => listen(resizeListeners, listener),
    get columns() {
      return output.columns || defaultSize.columns;
    },
    get rows() {
      return output.rows || defaultSize.rows;
    },
    isColor: wantsColor(env),
    lend: () => {
      host.ignoreInterrupts(true);
      hide();
      return () => {
        host.ignoreInterrupts(false);
        show();
      };
    },
    suspend: () => {
      if (!host.stop || state !== 'shown') return;
      hide();
      // Returns when the shell has continued the group, or at once without such a shell.
      host.stop();
      show();
    },
    close,
  };
}
