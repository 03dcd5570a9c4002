/* How long the program takes from its start to its first answer that it is ready, in an empty directory too. */
import { type Checks, ensure } from '../lib/checks.ts';
import { freePort, install } from '../lib/installation.ts';

const startCount = 5;
const goalMs = 150;

export async function checkStartup({ check }: Checks): Promise<void> {
  await check(`is ready in less than ${goalMs} ms, best of ${startCount}`, async () => {
    const first: number[] = [];
    const again: number[] = [];
    for (let start = 0; start < startCount; start++) {
      const installation = install();
      try {
        for (const times of [first, again]) {
          const server = await installation.start(await freePort());
          times.push(server.startupMs);
          await server.end('SIGTERM');
        }
      } finally {
        await installation.remove();
      }
    }
    const [making, starting] = [Math.min(...first), Math.min(...again)];
    const note = `empty database ${starting.toFixed(0)} ms, making it too ${making.toFixed(0)} ms`;
    // A shared build machine says nothing about the program; there the numbers are only shown.
    ensure(Math.max(making, starting) < goalMs || process.env['CI'], note);
    return note;
  });
}
