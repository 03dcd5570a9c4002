/*
 * Installs a copy of the compiled program in a temporary directory. Scripts use only its public interface: commands, signals and
 * HTTP. Of the caller's environment it gets only PATH.
 */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subprocess } from 'bun';

/** The user and group id that the program gets when the scripts run as root. */
export const nobodyId = 65534;
const readyTimeoutMs = 20_000;
const commandTimeoutMs = 30_000;

export type Env = Record<string, string>;
export type CommandResult = { exitCode: number; stdout: string; stderr: string };

/** A started process that may not be ready yet. */
export type Program = {
  /** The last output of the process, for failure reports. */
  output: () => string;
  /** Sends a signal and waits for the process to exit. @returns the exit code, or 128 + signal number */
  end: (signal: 'SIGTERM' | 'SIGKILL') => Promise<number>;
};

export type Server = Program & {
  /** `http://127.0.0.1:PORT` */
  origin: string;
  port: number;
  pid: number;
  /** The time from spawning the process until /readyz returns 200. */
  startupMs: number;
  /** Sends SIGTERM. @throws if it does not exit with 0 */
  stop: () => Promise<void>;
};

export type Installation = {
  /** The working directory, empty at first. */
  dir: string;
  dataDir: string;
  /** @param timeoutMs the command is ended after this time */
  run: (args: readonly string[], env?: Env, timeoutMs?: number) => Promise<CommandResult>;
  /** Runs a command. @returns its output @throws if it does not exit with 0 */
  command: (args: readonly string[], timeoutMs?: number) => Promise<string>;
  /** @param tracer a command line that starts the program as its only child, such as `strace` */
  start: (port: number, env?: Env, tracer?: readonly string[]) => Promise<Server>;
  /** Starts the server and does not wait until it is ready. */
  startWithoutWaiting: (port: number) => Program;
  /** Kills the running servers and deletes all files. */
  remove: () => Promise<void>;
};

/** The path of the executable. @throws if it has not been built */
export function builtBinary(): string {
  const binary = join(import.meta.dir, '../../dist/hooktape');
  if (!existsSync(binary)) throw new Error('dist/hooktape is missing; run: bun run build');
  return binary;
}

/**
 * @param settings environment of every command, such as HOOKTAPE_RATE_LIMIT
 * @param wrap a command line to run the program under, such as `unshare`
 * @param built the executable to copy
 * @param emulator a command line that runs an executable of another machine type
 * @param onOutput gets what the server prints
 */
export function install(
  settings: Env = {},
  wrap: readonly string[] = [],
  {
    built = builtBinary(),
    emulator = [],
    onOutput,
  }: { built?: string; emulator?: readonly string[]; onOutput?: (text: string) => void } = {},
): Installation {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'hooktape-')));
  const dir = join(base, 'work');
  const binary = join(base, 'hooktape');
  copyFileSync(built, binary);
  mkdirSync(dir);
  for (const path of [base, binary, dir]) chmodSync(path, 0o755);
  const dropRoot = process.getuid?.() === 0 ? dropRootCommand() : [];
  if (dropRoot.length > 0) chownSync(dir, nobodyId, nobodyId);
  const dataDir = join(dir, 'data');
  const command = [...wrap, ...dropRoot, ...emulator, binary];
  const environment = (env: Env): Env => ({ PATH: process.env['PATH'] ?? '', ...settings, ...env });
  const running = new Set<Program>();
  let port = 0;

  const spawn = (serverPort: number, env: Env, tracer: readonly string[]) => {
    port = serverPort;
    const child = Bun.spawn([...tracer, ...command, 'serve'], {
      cwd: dir,
      env: { ...environment(env), HOOKTAPE_PORT: String(port) },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const pid = (): number => (tracer.length > 0 ? onlyChildOf(child.pid) : child.pid);
    const program: Program = {
      output: keepTail(child, onOutput),
      end: async signal => {
        if (child.exitCode === null && child.signalCode === null) process.kill(pid(), signal);
        return await child.exited;
      },
    };
    running.add(program);
    void child.exited.then(() => running.delete(program));
    return { child, pid, program };
  };

  const run: Installation['run'] = async (args, env = {}, timeoutMs = commandTimeoutMs) => {
    const child = Bun.spawn([...command, ...args], {
      cwd: dir,
      env: { ...environment(env), HOOKTAPE_PORT: String(port || 4665) },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: emulator.length > 0 ? 4 * timeoutMs : timeoutMs,
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { exitCode: await child.exited, stdout, stderr };
  };

  return {
    dir,
    dataDir,
    run,
    command: async (args, timeoutMs) => {
      const { exitCode, stdout, stderr } = await run(args, {}, timeoutMs);
      if (exitCode !== 0) throw new Error(`hooktape ${args.join(' ')} exited with ${exitCode}: ${stdout}${stderr}`);
      return stdout.trim();
    },
    start: async (serverPort, env = {}, tracer = []) => {
      const startedAt = performance.now();
      const { child, pid, program } = spawn(serverPort, env, tracer);
      const origin = `http://127.0.0.1:${port}`;
      await untilReady(child, origin, program.output);
      const startupMs = performance.now() - startedAt;
      const stop = async (): Promise<void> => {
        const exitCode = await program.end('SIGTERM');
        if (exitCode !== 0) throw new Error(`after SIGTERM it exited with ${exitCode}:\n${program.output()}`);
      };
      return { ...program, origin, port, pid: pid(), startupMs, stop };
    },
    startWithoutWaiting: serverPort => spawn(serverPort, {}, []).program,
    remove: async () => {
      for (const program of running) await program.end('SIGKILL');
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** Removes the installation when `work` has ended. */
export async function withInstallation<T>(
  installation: Installation,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  try {
    return await work(installation);
  } finally {
    await installation.remove();
  }
}

/** Linux. */
function onlyChildOf(pid: number): number {
  const child = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
  if (!(child > 0)) throw new Error(`process ${pid} has not started the program`);
  return child;
}

function dropRootCommand(): string[] {
  const setpriv = Bun.which('setpriv');
  if (!setpriv) throw new Error('running as root needs setpriv (util-linux) to try the program as another user');
  return [setpriv, `--reuid=${nobodyId}`, `--regid=${nobodyId}`, '--clear-groups'];
}

function keepTail(child: Subprocess<'ignore', 'pipe', 'pipe'>, onOutput?: (text: string) => void): () => string {
  let tail = '';
  const drain = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      const text = decoder.decode(chunk, { stream: true });
      onOutput?.(text);
      tail = (tail + text).slice(-8192);
    }
  };
  void drain(child.stdout);
  void drain(child.stderr);
  return () => tail;
}

async function untilReady(child: Subprocess, origin: string, output: () => string): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs;
  while (performance.now() < deadline) {
    if (child.exitCode !== null)
      throw new Error(`the server ended with ${child.exitCode} instead of starting:\n${output()}`);
    const ready = await fetch(`${origin}/readyz`).then(
      response => response.ok,
      () => false,
    );
    if (ready) return;
    await Bun.sleep(1);
  }
  child.kill('SIGKILL');
  throw new Error(`the server was not ready after ${readyTimeoutMs / 1000} s:\n${output()}`);
}
