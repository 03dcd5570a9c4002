/*
 * `bun scripts/release-proof.ts FILE [COMMAND…]`: tests a released executable for everything that depends on the platform: sockets,
 * threads, the native database library, files and signals. For another machine type or C library, COMMAND is an emulator such as
 * `qemu-aarch64-static -L ROOT`.
 */
import { join } from 'node:path';
import { openInbox } from './lib/api.ts';
import { createChecks, ensure } from './lib/checks.ts';
import { install } from './lib/installation.ts';

const [file, ...emulator] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: bun scripts/release-proof.ts FILE [COMMAND...]');

const checks = createChecks();
const installation = install({ HOOKTAPE_RATE_LIMIT: '1000000' }, [], { built: file, emulator });
const run = (...args: string[]): Promise<string> => installation.command(args);

try {
  await checks.check('prints its version', () => run('version'));

  const { server: first, api, endpoint, address } = await openInbox(installation, 'released');
  let server = first;
  const bodies = Array.from({ length: 100 }, (_, index) => Buffer.alloc(10 + index * 997, `delivery ${index} `));
  const ids: string[] = [];

  await checks.check('100 concurrent deliveries are stored byte for byte', async () => {
    const send = async (body: Buffer): Promise<string> => {
      const answer = await fetch(`${address}/x`, { method: 'POST', body });
      return ((await answer.json()) as { id: string }).id;
    };
    ids.push(...(await Promise.all(bodies.map(send))));
    for (const [index, id] of ids.entries())
      ensure(bodies[index]?.equals(await api.raw(id)), `delivery ${index} differs`);
    return undefined;
  });

  await checks.check('search and metrics work', async () => {
    const found = await api.get(`/api/events?endpointId=${endpoint.id}&q=DELIVERY%2042%20`);
    const { events } = (await found.json()) as { events: unknown[] };
    ensure(events.length === 1, `${events.length} found`);
    ensure(
      (await (await fetch(`${server.origin}/metrics`)).text()).includes('hooktape_deliveries_total'),
      'no metrics',
    );
    return undefined;
  });

  await checks.check('backup and check work while the server runs', async () => {
    await run('backup', join(installation.dir, 'copy.db'));
    await run('check');
    return undefined;
  });

  await checks.check('after SIGTERM it exits with 0, and all events are there after a restart', async () => {
    await server.stop();
    server = await installation.start(server.port);
    for (const [index, id] of ids.entries())
      ensure(bodies[index]?.equals(await api.raw(id)), `delivery ${index} differs`);
    return undefined;
  });

  await checks.check('it starts again after SIGKILL', async () => {
    await server.end('SIGKILL');
    server = await installation.start(server.port);
    await server.end('SIGTERM');
    await run('check');
    return undefined;
  });
} finally {
  await installation.remove();
}
process.exit(checks.close());
