/*
 * Keeps a tunnel program running, and knows the public origin that it announces. While the program is down, the last origin stays: some
 * programs announce the same one again. The origin of an earlier run of the server is remembered, because platforms still use it.
 */
import type { Tunnel as TunnelStatus } from '../../features/sessions/model.ts';
import type { Logger } from '../../log.ts';
import { announcedIn, argumentsOf, type TunnelCommand } from './programs.ts';
import { readPublicOrigin } from './public-origin.ts';
import { type RunningProgram, type RunProgram, runProgram } from './run-program.ts';

const announceWithinMs = 30_000;
const maxWaitMs = 60_000;
/** After this time the program counts as started well, and the next wait is short again. */
const stableAfterMs = 60_000;
const newAddress = 'the tunnel has a new address: register the new URLs with the platforms';
const keptLines = 5;
const maxKeptLine = 300;

export type TunnelOptions = {
  command: TunnelCommand;
  /** The environment of the program. */
  env: Readonly<Record<string, string | undefined>>;
  /** What is remembered over restarts of the server. */
  memory: { read: () => string | undefined; write: (origin: string) => void };
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  monotonic: () => number;
  run?: RunProgram;
  /** @returns a function that cancels it */
  after?: (ms: number, act: () => void) => () => void;
};

export type Tunnel = ReturnType<typeof createTunnel>;

const afterTime = (ms: number, act: () => void): (() => void) => {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
};

export function createTunnel(options: TunnelOptions) {
  const { command, memory, log, monotonic, run = runProgram, after = afterTime } = options;
  const { name: program } = command;
  const env = withoutSettings(options.env);
  const first = Promise.withResolvers<void>();
  let status: TunnelStatus = { program, state: 'starting', origin: null, previousOrigin: null, message: null };
  let running: RunningProgram | undefined;
  let cancelTimer = (): void => {};
  let failures = 0;
  let isStopping = false;
  let onOrigin = (): void => {};

  const isUp = (origin: string): void => {
    const before = status.origin ?? memory.read();
    const previousOrigin = before === undefined || before === origin ? status.previousOrigin : before;
    const isNew = status.origin !== origin;
    const message = previousOrigin === null ? null : newAddress;
    status = { program, state: 'up', origin, previousOrigin, message };
    if (before !== undefined && before !== origin) log.warn(newAddress, { program, origin, previousOrigin });
    else log.info('the tunnel is up', { program, origin });
    if (before !== origin) remember(origin);
    if (isNew) onOrigin();
    first.resolve();
  };
  const remember = (origin: string): void => {
    try {
      memory.write(origin);
    } catch (cause) {
      log.warn('the address of the tunnel could not be saved', { cause });
    }
  };

  const isDown = (reason: string, output: readonly string[], target: string): void => {
    const waitMs = Math.min(maxWaitMs, 1000 * 2 ** failures++);
    const problem = `${program} ${reason}`;
    status = { ...status, state: 'down', message: `the tunnel is down, because ${problem}. It is started again` };
    log.error('the tunnel is down: no delivery arrives through it', { problem, output, nextTryInMs: waitMs });
    first.resolve();
    cancelTimer = after(waitMs, () => start(target));
  };

  const start = (target: string): void => {
    const output: string[] = [];
    const startedAt = monotonic();
    /** Why this run cannot be used. */
    let refusal: string | undefined;
    const refuse = (reason: string): void => {
      if (refusal !== undefined) return;
      refusal = reason;
      void own.stop();
    };
    const onLine = (raw: string): void => {
      const line = printable(raw);
      log.debug('the tunnel program says', { program, line });
      if (line.trim() === '') return;
      output.push(line.slice(0, maxKeptLine));
      if (output.length > keptLines) output.shift();
      const announced = announcedIn(program, line);
      if (announced === undefined || refusal !== undefined || isStopping) return;
      const origin = readPublicOrigin(announced);
      if (origin === undefined) {
        refuse(`announced an address that cannot be used: ${announced.slice(0, maxKeptLine)}`);
      } else {
        cancelTimer();
        if (status.state !== 'up' || status.origin !== origin) isUp(origin);
      }
    };
    let own: RunningProgram;
    try {
      own = run({ command: [command.path, ...argumentsOf(program, target)], env, onLine });
    } catch (cause) {
      isDown(`cannot be started: ${String(cause)}`, output, target);
      return;
    }
    running = own;
    cancelTimer = after(announceWithinMs, () =>
      refuse(`has not announced an address within ${announceWithinMs / 1000} s`),
    );
    void own.ended.then(reason => {
      cancelTimer();
      if (isStopping) return;
      if (monotonic() - startedAt >= stableAfterMs && refusal === undefined) failures = 0;
      isDown(refusal ?? reason, output, target);
    });
  };

  return {
    /** The last origin that was announced; undefined before. */
    origin: (): string | undefined => status.origin ?? undefined,
    status: (): TunnelStatus => status,
    /** Sets what is called when there is another origin. */
    onOrigin: (listener: () => void): void => {
      onOrigin = listener;
    },
    /** @param target the URL that the program forwards to */
    start,
    /** When the tunnel is up or down for the first time, but at most this time later. */
    settled: async (ms: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = after(ms, resolve);
      await Promise.race([first.promise, promise]);
      cancel();
    },
    stop: async (): Promise<void> => {
      isStopping = true;
      first.resolve();
      cancelTimer();
      await running?.stop();
    },
  };
}

/** The program does not get the settings of the server, which may be secret. */
const withoutSettings = (env: TunnelOptions['env']): TunnelOptions['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('HOOKTAPE_')));

/** The line without colours and control characters. */
const printable = (line: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  line.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
