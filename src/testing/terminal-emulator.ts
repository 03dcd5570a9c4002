/* A terminal emulator whose state tests can read: what a user would see, and what the program has done to the terminal. */
import { Terminal } from '@xterm/headless';
import { openFullScreen, type TerminalHost } from '../cli/listen/tui/terminal.ts';

export type TerminalEmulator = ReturnType<typeof createTerminalEmulator>;

export function createTerminalEmulator({ columns = 80, rows = 24 }: { columns?: number; rows?: number } = {}) {
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 });
  const titles: string[] = [];
  const replies: string[] = [];
  const clipboard: string[] = [];
  let bells = 0;
  terminal.onTitleChange(title => titles.push(title));
  terminal.onBell(() => bells++);
  terminal.onData(data => replies.push(data));
  terminal.parser.registerOscHandler(52, data => {
    clipboard.push(data);
    return true;
  });
  const written: string[] = [];
  const drawn = (): Promise<void> => new Promise(resolve => terminal.write('', resolve));
  const buffer = () => terminal.buffer.active;

  return {
    write: (text: string): void => {
      written.push(text);
      terminal.write(text);
    },
    /** Accepts the output of a program, in any pieces. */
    writeBytes: (bytes: Uint8Array): void => terminal.write(bytes),
    resize: (to: { columns: number; rows: number }): void => terminal.resize(to.columns, to.rows),
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    /** Everything that was written since the last call. */
    takeWritten: (): string => written.splice(0).join(''),
    /** The rows of the screen, without the spaces at their ends. */
    lines: async (): Promise<string[]> => {
      await drawn();
      const { baseY } = buffer();
      return Array.from(
        { length: terminal.rows },
        (_, row) =>
          buffer()
            .getLine(baseY + row)
            ?.translateToString()
            .trimEnd() ?? '',
      );
    },
    cell: async (row: number, column: number): Promise<string> => {
      await drawn();
      return buffer().getLine(row)?.getCell(column)?.getChars() ?? '';
    },
    /** Whether a cell is drawn in a colour other than the default. */
    hasColors: async (): Promise<boolean> => {
      await drawn();
      for (let row = 0; row < terminal.rows; row++)
        for (let column = 0; column < terminal.cols; column++)
          if (buffer().getLine(row)?.getCell(column)?.isFgDefault() === false) return true;
      return false;
    },
    cursor: async () => {
      await drawn();
      return { row: buffer().cursorY, column: buffer().cursorX };
    },
    isAlternate: async (): Promise<boolean> => {
      await drawn();
      return buffer().type === 'alternate';
    },
    modes: async () => {
      await drawn();
      return { hasWraparound: terminal.modes.wraparoundMode, hasBracketedPaste: terminal.modes.bracketedPasteMode };
    },
    titles,
    replies,
    clipboard,
    bells: () => bells,
  };
}

/** A process whose terminal is the emulator. */
export function createTerminalHost(emulator: TerminalEmulator) {
  const listeners = new Map<string, Set<(...values: never[]) => void>>();
  const on = (event: string, listener: (...values: never[]) => void): void => {
    const known = listeners.get(event) ?? new Set();
    listeners.set(event, known.add(listener));
  };
  const off = (event: string, listener: (...values: never[]) => void): void =>
    void listeners.get(event)?.delete(listener);
  const emit = (event: string, ...values: unknown[]): void => {
    for (const listener of [...(listeners.get(event) ?? [])]) listener(...(values as never[]));
  };
  const seen = {
    isIgnoringInterrupts: false,
    isRaw: false,
    isReading: false,
    stops: 0,
    isForeground: true,
    waits: [] as (() => void)[],
    exitCode: undefined as number | undefined,
  };
  const host: TerminalHost = {
    input: {
      setRawMode: isRaw => {
        seen.isRaw = isRaw;
      },
      on: (event, listener) => on(event, listener),
      off: (event, listener) => off(event, listener),
      resume: () => {
        seen.isReading = true;
      },
      pause: () => {
        seen.isReading = false;
      },
    },
    output: {
      get columns() {
        return emulator.size().columns;
      },
      get rows() {
        return emulator.size().rows;
      },
      on: (event, listener) => on(event, listener),
      off: (event, listener) => off(event, listener),
    },
    write: emulator.write,
    on: (event, listener) => on(event, listener),
    off: (event, listener) => off(event, listener),
    exit: code => {
      seen.exitCode = code;
    },
    ignoreInterrupts: isIgnored => {
      seen.isIgnoringInterrupts = isIgnored;
    },
    // The emulator always knows its size.
    readSize: () => {},
    isForeground: () => seen.isForeground,
    later: run => void seen.waits.push(run),
    stop: () => {
      seen.stops++;
    },
  };
  return {
    host,
    seen,
    /** Emits events of the process, or `data` and `resize` of its streams. */
    emit,
    listenerCount: (): number => [...listeners.values()].reduce((sum, { size }) => sum + size, 0),
    open: (env: Record<string, string> = {}) => openFullScreen(host, env),
  };
}
