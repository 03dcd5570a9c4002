/* A server in a separate process that can be killed, with a clock that a test sets forward. */
import { readFileSync } from 'node:fs';
import type { ClockMessage } from './clocked-process.ts';
import { freePort } from './free-port.ts';

const script = new URL('clocked-process.ts', import.meta.url).pathname;

/** A server whose clock the caller controls; a restarted server continues at the time at which it was killed. */
export async function startClocked(directory: string, settings: Record<string, string>) {
  const port = await freePort();
  let aheadMs = 0;
  const start = async () => {
    const started = Promise.withResolvers<void>();
    const idle = new Map<number, () => void>();
    let isStarted = false;
    const child = Bun.spawn([process.execPath, script], {
      env: {
        PATH: process.env['PATH'] ?? '',
        ...settings,
        DIRECTORY: directory,
        PORT: String(port),
        AHEAD_MS: String(aheadMs),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc(message: ClockMessage) {
        if (!isStarted) started.resolve();
        isStarted = true;
        idle.get(message.aheadMs)?.();
      },
    });
    void child.exited.then(code => started.reject(new Error(`the server ended with ${code} instead of starting`)));
    await started.promise;
    return { child, idle };
  };
  let running = await start();
  const kill = async (): Promise<void> => {
    running.child.kill('SIGKILL');
    await running.child.exited;
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    residentMiB(): number {
      const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${running.child.pid}/status`, 'utf8')) ?? [];
      return Math.round(Number(kib) / 1024);
    },
    /** Resolves once nothing that is due by then is left, or the server was killed. */
    async goAhead(ms: number): Promise<void> {
      const { child, idle } = running;
      // Each message has a different time.
      aheadMs += ms + 1;
      const message: ClockMessage = { aheadMs, isWaiting: true };
      const isIdle = new Promise<void>(resolve => idle.set(aheadMs, resolve));
      child.send(message);
      await Promise.race([isIdle, child.exited]);
      idle.delete(message.aheadMs);
    },
    /** Like `goAhead`, without waiting. */
    hurry(ms: number): void {
      aheadMs += ms + 1;
      running.child.send({ aheadMs, isWaiting: false } satisfies ClockMessage);
    },
    kill,
    async restart(): Promise<void> {
      await kill();
      running = await start();
    },
    async stop(): Promise<void> {
      running.child.kill('SIGTERM');
      await running.child.exited;
    },
  };
}
