/*
 * The terminal of this process as a full screen, and its way back: alternate screen, cursor, line wrapping and input mode are as
 * before after `close`, at the end of the process however it comes about (an exception, `process.exit`), while another program has
 * the screen, and while the process is stopped or in the background.
 */
import type { Size } from './paint.ts';

/** The terminal as the view needs it. */
export type Terminal = {
  readonly write: (text: string) => void;
  /** @returns how to end it */
  readonly onInput: (listener: (bytes: Uint8Array) => void) => () => void;
  /** The size has changed, or the screen has been used by something else. */
  readonly onResize: (listener: () => void) => () => void;
  readonly columns: number;
  readonly rows: number;
  readonly isColor: boolean;
};

export type FullScreen = Terminal & {
  /** Gives the terminal to another program until the returned function is called. */
  readonly lend: () => () => void;
  /** Ctrl+Z: back to the shell, until it says to go on. In the background (`bg`) the process runs without a screen. */
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
  /** Asks for the size again: the system reports changes only to processes in the foreground. */
  readonly readSize: () => void;
  /** Ctrl+C in an editor is for the editor, but the system sends the signal to both. */
  readonly ignoreInterrupts: (isIgnored: boolean) => void;
  /** Whether the process may use the terminal. */
  readonly isForeground: () => boolean;
  readonly later: (run: () => void, ms: number) => void;
  /** Stops the whole group of processes, as Ctrl+Z does; undefined where the platform has no such signal. */
  readonly stop: (() => void) | undefined;
};

/** Alternate screen, no cursor, no wrapping at the last column, pasted text between marks. */
const enter = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[0m\x1b[2J';
const leave = '\x1b[?2026l\x1b[0m\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l';

/** How often a process in the background looks whether it has the terminal again: no signal says so. */
const foregroundEveryMs = 200;
const defaultSize: Size = { columns: 80, rows: 24 };
/** 128 + SIGHUP */
const hangUpExitCode = 129;

/** Colours, unless the person does not want them or the terminal has none (https://no-color.org). */
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
    // First to the normal mode: the shell may have changed it while the process was stopped.
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
  // As without a listener, but on the screen of the shell.
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
    // The screen of the shell or of another program is not ours to write on.
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
      // Returns when the shell has continued the group, or at once when there is no shell to do so.
      host.stop();
      show();
    },
    close,
  };
}
