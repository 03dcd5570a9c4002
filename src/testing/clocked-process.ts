/*
 * A server in a separate process, so that it can be killed. Its clock runs, and goes ahead when the parent process sends a
 * message. Its environment: the server's settings, DIRECTORY, PORT, and AHEAD_MS, which is how far the clock is ahead.
 */
import { openTestServer } from './test-server.ts';

/**
 * A message to the process: its clock goes ahead. If `isWaiting`, the process replies with the same message once nothing that
 * was due by then is left.
 */
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
