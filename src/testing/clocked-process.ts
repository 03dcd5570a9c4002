/*
 * A server in a process of its own, so that it can be killed, whose clock runs and goes ahead when the parent process says so. Its
 * environment: the server's settings, DIRECTORY, PORT and AHEAD_MS, how far ahead the clock is.
 */
import { openTestServer } from './test-server.ts';

/** To the process: the clock goes ahead. It answers the same once nothing that was due then is left, if somebody waits for it. */
export type ClockMessage = { aheadMs: number; isWaiting: boolean };

const { DIRECTORY: directory = '', PORT: port, AHEAD_MS: ahead, ...env } = Bun.env as Record<string, string>;
let aheadMs = Number(ahead);
const server = await openTestServer({
  directory,
  port: Number(port),
  env: Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('HOOKTAPE_'))),
  clock: { now: () => Date.now() + aheadMs, monotonic: () => performance.now() + aheadMs },
});
await server.listen();

process.on('message', async (message: ClockMessage) => {
  aheadMs = Math.max(aheadMs, message.aheadMs);
  server.services.queues.wake('forward', '');
  if (!message.isWaiting) return;
  await server.services.background.idle();
  await server.services.queues.idle();
  process.send?.(message);
});
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', async () => {
  await server.close();
  process.exit(0);
});
process.send?.({ aheadMs, isWaiting: false });
