/* `hooktape serve` as a process that a test can kill and start again on the same port. */
import { eventually } from './poll.ts';

/** After a kill, a start on a busy machine first files what the journal has. */
const startTimeoutMs = 180_000;

/** Starts the program and waits until it answers. Of the caller's environment it gets only PATH. @param command the program */
export async function startServerProcess(
  command: readonly string[],
  directory: string,
  port: number,
  env: Record<string, string> = {},
): Promise<Bun.Subprocess> {
  const child = Bun.spawn([...command, 'serve'], {
    env: { PATH: process.env['PATH'] ?? '', HOOKTAPE_DATA_DIR: directory, HOOKTAPE_PORT: String(port), ...env },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const isHealthy = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode} instead of starting`);
    return (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok === true;
  };
  try {
    await eventually(isHealthy, startTimeoutMs);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return child;
}
