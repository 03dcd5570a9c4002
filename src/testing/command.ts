/* Runs commands in this process and collects what they print. */
import { runCommand } from '../cli/commands.ts';
import type { Io } from '../cli/io.ts';
import { systemClock } from '../core/clock.ts';
import { eventually } from './poll.ts';
import { borrowThread } from './pooled-threads.ts';
import { randomBytes } from './test-server.ts';

export type Ended = { exitCode: number; stdout: string; stderr: string };

const makeIo = (env: Record<string, string>, untilSignal: () => Promise<string>, stdin = '') => {
  const said = { stdout: '', stderr: '' };
  const io: Io = {
    env: { HOOKTAPE_LOG_FORMAT: 'json', ...env },
    stdout: text => {
      said.stdout += text;
      return true;
    },
    stderr: text => {
      said.stderr += text;
    },
    stdoutBytes: bytes => {
      said.stdout += Buffer.from(bytes).toString('latin1');
    },
    readStdin: async () => stdin,
    async *stdin() {},
    isTerminal: false,
    outputTerminal: undefined,
    fullScreen: undefined,
    isForeground: () => true,
    ask: undefined,
    sleep: () => new Promise(() => {}),
    clock: systemClock,
    random: randomBytes,
    spawn: borrowThread,
    pid: 1,
    usage: () => ({ residentBytes: 1, cpuSeconds: 1 }),
    openFileLimit: () => undefined,
    version: 'test',
    commit: 'test',
    isExecutable: false,
    useDataDirectory: () => {},
    untilSignal,
    ignoreInterrupts: () => {},
    abort: exitCode => {
      throw new Error(`aborted with ${exitCode}`);
    },
  };
  return { io, said };
};

export const hooktape = (env: Record<string, string>, ...args: string[]): Promise<Ended> =>
  hooktapeWithInput('', env, ...args);

/** @param stdin all of its standard input */
export async function hooktapeWithInput(stdin: string, env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const { io, said } = makeIo(env, () => new Promise(() => {}), stdin);
  return { exitCode: await runCommand(args, io), ...said };
}

/** @param terminal the properties of the terminal: its width, its replies to questions */
export async function hooktapeAtTerminal(
  terminal: Partial<
    Pick<Io, 'outputTerminal' | 'fullScreen' | 'ask' | 'isTerminal' | 'sleep' | 'untilSignal' | 'clock'>
  >,
  env: Record<string, string>,
  ...args: string[]
): Promise<Ended> {
  const { io, said } = makeIo(env, () => new Promise(() => {}));
  return { exitCode: await runCommand(args, { ...io, ...terminal }), ...said };
}

/** Starts `hooktape serve` on a free port. Resolves once it listens. */
export async function startServer(
  env: Record<string, string>,
  given: Partial<Pick<Io, 'spawn' | 'abort' | 'clock'>> = {},
  options: readonly string[] = [],
): Promise<{ origin: string; said: () => Promise<Omit<Ended, 'exitCode'>>; stop: () => Promise<Ended> }> {
  const signal = Promise.withResolvers<string>();
  const { io, said } = makeIo({ HOOKTAPE_PORT: '0', ...env }, () => signal.promise);
  const ended = runCommand(['serve', ...options], { ...io, ...given });
  const origin = await eventually(
    () => /(?:Hooktape \S+ at |"baseUrl":")(https?:[^\s"]+[^/\s"])\/?"?/m.exec(said.stdout)?.[1],
  );
  return {
    origin,
    /** Everything printed, once the server is ready. */
    said: async () => {
      await eventually(() => said.stdout.includes('Ready.\n'));
      return { ...said };
    },
    stop: async () => {
      signal.resolve('SIGTERM');
      return { exitCode: await ended, ...said };
    },
  };
}

/** Starts `hooktape listen`, which runs until it is stopped. Its waits are real. */
export function startListener(
  env: Record<string, string>,
  args: readonly string[],
  given: Partial<Io> = {},
): { said: { stdout: string; stderr: string }; ended: Promise<Ended>; stop: () => Promise<Ended> } {
  const signal = Promise.withResolvers<string>();
  const { io, said } = makeIo(env, () => signal.promise);
  const ended = runCommand(['listen', ...args], { ...io, sleep: ms => Bun.sleep(ms), ...given }).then(exitCode => ({
    exitCode,
    ...said,
  }));
  return {
    said,
    ended,
    stop: () => {
      signal.resolve('SIGINT');
      return ended;
    },
  };
}
