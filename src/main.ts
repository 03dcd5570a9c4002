/* argv -> command -> exit code. It gives the program the process; the database threads are found from here. */
import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { version } from '../package.json' with { type: 'json' };
import { runCommand } from './cli/commands.ts';
import { createJobControl } from './cli/job-control.ts';
import { systemClock } from './core/clock.ts';

declare const HOOKTAPE_COMMIT: string | undefined;
const isExecutable = typeof HOOKTAPE_COMMIT === 'string';

/** Whether another program has the terminal. */
let isInterruptIgnored = false;
const ignore = (): void => {};

/** While a signal has a listener, the system does not end the process. */
function ignoreInterrupts(isIgnored: boolean): void {
  if (isIgnored === isInterruptIgnored) return;
  isInterruptIgnored = isIgnored;
  if (isIgnored) process.on('SIGINT', ignore);
  else process.off('SIGINT', ignore);
}

/** Signals within this time count as one: Ctrl+C reaches this process and parents that pass it on (`bun run`). */
const sameSignalMs = 1000;

function untilSignal(): Promise<string> {
  return new Promise(resolve => {
    let firstAt: number | undefined;
    // As PID 1, a process ignores signals without a handler. A later signal of either kind ends the process at once.
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => {
        if (signal === 'SIGINT' && isInterruptIgnored) return;
        const now = systemClock.monotonic();
        if (firstAt !== undefined && now - firstAt >= sameSignalMs) process.exit(1);
        firstAt ??= now;
        resolve(signal);
      });
  });
}

/** The reader has closed its end, which is not an error. */
const readerClosedCodes = ['EPIPE', 'EBADF'];

/** Synchronous, so that nothing is lost at the end. @returns false if the reader has gone @throws on a full disk */
function writeAll(descriptor: number, content: string | Uint8Array): boolean {
  let rest: Uint8Array = typeof content === 'string' ? Buffer.from(content) : content;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (readerClosedCodes.includes(code)) return false;
      if (code !== 'EAGAIN') throw error;
      Bun.sleepSync(1);
    }
  }
  return true;
}

/** For the log and for errors of commands: a failure to write them cannot be reported. */
function writeIfPossible(text: string): void {
  try {
    writeAll(2, text);
  } catch {
    // A full disk for logs must not stop the server.
  }
}

/** Takes random bytes from the system in larger amounts: one call for each id would cost more than the rest of the id. */
function createRandomBytes(): (length: number) => Uint8Array {
  const poolBytes = 4096;
  let pool = new Uint8Array(0);
  let used = 0;
  return length => {
    if (used + length > pool.length) {
      pool = crypto.getRandomValues(new Uint8Array(Math.max(poolBytes, length)));
      used = 0;
    }
    used += length;
    return pool.slice(used - length, used);
  };
}

function openFileLimit(): number | undefined {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === 'number' && soft > 0 ? soft : undefined;
}

const { isForeground, exitInBackground } = createJobControl(process.platform);

/** The terminal for a view that fills the screen; undefined without one. */
function fullScreen() {
  if (!isatty(0) || !isatty(1) || process.env['TERM'] === 'dumb') return undefined;
  return async () => {
    // At its end, Bun restores the terminal's first mode, and the system would stop a background process for that.
    process.on('exit', exitCode => {
      if (!isForeground()) exitInBackground(exitCode);
    });
    return (await import('./cli/listen/tui/terminal.ts')).openFullScreen(
      {
        input: process.stdin,
        output: process.stdout,
        write: text => writeAll(1, text),
        on: (event, listener) => process.on(event as NodeJS.Signals, listener),
        off: (event, listener) => process.off(event, listener),
        exit: code => process.exit(code),
        readSize: () => void process.emit('SIGWINCH', 'SIGWINCH'),
        ignoreInterrupts,
        isForeground,
        later: (run, ms) => setTimeout(run, ms),
        stop: process.platform === 'win32' ? undefined : () => process.kill(0, 'SIGTSTP'),
      },
      process.env,
    );
  };
}

const threadFiles = { writer: './wiring/writer-thread.ts', reader: './db/threads/reader-thread.ts' };

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  stdout: text => writeAll(1, text),
  stdoutBytes: bytes => writeAll(1, bytes),
  stderr: writeIfPossible,
  readStdin: () => Bun.stdin.text(),
  stdin: () => Bun.stdin.stream(),
  isTerminal: process.stderr.isTTY === true,
  outputTerminal: process.stdout.isTTY === true ? { columns: process.stdout.columns || 80 } : undefined,
  // Node's streams are expensive, so only `ask` opens the one for standard input.
  ask:
    isatty(0) && process.stderr.isTTY === true
      ? async (question, isSecret) =>
          (await import('./cli/terminal-input.ts')).ask(process.stdin, writeIfPossible, question, isSecret)
      : undefined,
  fullScreen: fullScreen(),
  isForeground,
  sleep: ms => Bun.sleep(ms),
  clock: systemClock,
  random: createRandomBytes(),
  // Each thread gets this process's environment, so that it finds the native library in the data directory.
  spawn: name =>
    // A small heap is enough: a database thread's data is in buffers.
    new Worker(new URL(threadFiles[name], import.meta.url).href, {
      smol: true,
      env: { ...process.env } as Record<string, string>,
    }),
  pid: process.pid,
  usage: () => {
    const { user, system } = process.cpuUsage();
    return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 };
  },
  openFileLimit,
  version,
  commit: isExecutable ? HOOKTAPE_COMMIT : 'source',
  isExecutable,
  useDataDirectory: path => {
    process.env['HOOKTAPE_DATA_DIR'] = path;
  },
  untilSignal,
  ignoreInterrupts,
  abort: exitCode => process.exit(exitCode),
});
process.exit();
