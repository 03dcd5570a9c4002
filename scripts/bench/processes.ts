/* Starts servers in their own processes: the baseline, the program from source, and the compiled program on a data set. */
import { join } from 'node:path';
import { freePort } from '../../src/testing/free-port.ts';
import { dataSetEnv } from '../lib/from-source.ts';
import { builtBinary } from '../lib/installation.ts';

export type Running = {
  origin: string;
  pid: number;
  /** Sends SIGTERM and waits for the process to exit. */
  end: () => Promise<void>;
};

type Env = Record<string, string | undefined>;

/** A bare node:http server that only reads and responds. */
export const startBaseline = (): Promise<Running> =>
  start(port => [process.execPath, join(import.meta.dir, 'baseline.ts'), port]);

/** The program from source, which can run without the search index. */
export const startFromSource = (dataDir: string, index = true): Promise<Running> =>
  start(port => [
    process.execPath,
    join(import.meta.dir, '../lib/from-source.ts'),
    dataDir,
    port,
    ...(index ? [] : ['without-index']),
  ]);

/** The compiled program on a data set that was created from source. */
export const startOnDataSet = (dataDir: string): Promise<Running> =>
  start(
    () => [builtBinary(), 'serve'],
    port => ({
      PATH: process.env['PATH'],
      ...dataSetEnv(dataDir),
      HOOKTAPE_LOG_LEVEL: 'warn',
      HOOKTAPE_PORT: port,
    }),
  );

/**
 * Pauses all of these servers except one, so that the work that a server still does after its load (indexing, garbage collection)
 * does not slow down the next measurement.
 */
export function pauseAllExcept(pid: number, pids: readonly number[]): void {
  for (const each of pids) process.kill(each, each === pid ? 'SIGCONT' : 'SIGSTOP');
}

async function start(
  command: (port: string) => string[],
  env: (port: string) => Env = () => ({ ...process.env, NODE_ENV: 'production' }),
): Promise<Running> {
  const port = String(await freePort());
  const child = Bun.spawn(command(port), { env: env(port), stdin: 'ignore', stdout: 'inherit', stderr: 'inherit' });
  const origin = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${origin}/readyz`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`${command(port).join(' ')} did not start`);
    await Bun.sleep(10);
  }
  const end = async () => {
    child.kill('SIGTERM');
    // A paused process cannot exit.
    child.kill('SIGCONT');
    await child.exited;
  };
  return { origin, pid: child.pid, end };
}
