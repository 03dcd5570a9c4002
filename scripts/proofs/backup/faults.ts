/* The store misbehaves under load: capture goes on, the age grows, and everything follows when the store is well again. */
import type { SeenRequest, StoreFault } from '../../../src/testing/object-store/faulty-server.ts';
import { eventually } from '../../../src/testing/poll.ts';
import { type Checks, ensure } from '../../lib/checks.ts';
import { createRecorded, mixedPayloads } from './recorded.ts';
import type { Store } from './stores.ts';
import { ageOf, backUpNow, openWorld, startAgain, statusOf, untilBackedUp, withCopy } from './world.ts';

const faultMs = 12_000;
/** With uploads every two seconds, a backlog of this size is not normal. */
const oldS = 5;

type Fault = {
  readonly name: string;
  /** A new one for each use. */
  readonly create: () => (request: SeenRequest) => StoreFault | undefined;
  /** Whether nothing can be uploaded while it lasts. */
  readonly stops: boolean;
};

const isWrite = ({ method }: SeenRequest): boolean => method === 'PUT';
const always = (fault: StoreFault) => () => () => fault;

/** The first large object that is written from now on. */
function refuseOne(): (request: SeenRequest) => StoreFault | undefined {
  let refused: string | undefined;
  return request => {
    if (isWrite(request) && request.bytes > 4000) refused ??= request.path;
    return isWrite(request) && request.path === refused ? { status: 403, code: 'AccessDenied' } : undefined;
  };
}

const faults: readonly Fault[] = [
  { name: 'is away', create: always('reset'), stops: true },
  { name: 'is silent', create: always('silent'), stops: true },
  { name: 'is slow', create: always({ delayMs: 700 }), stops: false },
  {
    name: 'is full',
    create: () => request => (isWrite(request) ? { status: 507, code: 'XMinioStorageFull' } : undefined),
    stops: true,
  },
  {
    name: 'asks for fewer requests',
    create: always({ status: 503, code: 'SlowDown', headers: { 'retry-after': '1' } }),
    stops: true,
  },
  // It is written again, under another name.
  { name: 'refuses one object', create: refuseOne, stops: false },
  {
    name: 'does not answer every third write',
    create: () => {
      let writes = 0;
      return request => (isWrite(request) && ++writes % 3 === 0 ? 'no-answer' : undefined);
    },
    stops: false,
  },
  {
    name: 'cuts its answers',
    create:
      () =>
      ({ method }) =>
        method === 'GET' ? 'cut' : undefined,
    stops: false,
  },
];

export async function checkFaults({ check }: Checks, store: Store): Promise<void> {
  const { proxy } = store;
  const world = await openWorld(store, `faults-${store.name}`);
  const recorded = createRecorded(mixedPayloads());
  try {
    await untilBackedUp(world);
    for (const { name, create, stops } of faults)
      await check(`${store.name} ${name}`, async () => {
        const refusedBefore = recorded.refused();
        const stop = recorded.send(world.server, world.endpoint);
        let age = 0;
        try {
          await Bun.sleep(2000);
          proxy.setFault(create());
          await Bun.sleep(faultMs);
          age = await ageOf(world);
          const before = recorded.acknowledged.length;
          await eventually(() => recorded.acknowledged.length > before + 50, 10_000);
        } finally {
          proxy.setFault(() => undefined);
          await stop();
        }
        ensure(recorded.refused() === refusedBefore, `${recorded.refused() - refusedBefore} deliveries were refused`);
        ensure(!stops || age > oldS, `the age is only ${age} s`);
        const startedAt = performance.now();
        await backUpNow(world);
        const followedMs = performance.now() - startedAt;
        const { stored } = await withCopy(world, store, api => recorded.compare(api, world.endpoint));
        return `age ${age.toFixed(0)} s, all there after ${followedMs.toFixed(0)} ms, ${stored} stored`;
      });

    await check(`${store.name} is silent while the server stops and starts`, async () => {
      proxy.setFault(() => 'silent');
      const stop = recorded.send(world.server, world.endpoint);
      await Bun.sleep(1000);
      await stop();
      const stopping = performance.now();
      await world.server.stop();
      const stoppedMs = performance.now() - stopping;
      await startAgain(world);
      ensure(stoppedMs < 10_000, `it stopped only after ${stoppedMs.toFixed(0)} ms`);
      ensure(world.server.startupMs < 10_000, `it started only after ${world.server.startupMs.toFixed(0)} ms`);
      const stopAgain = recorded.send(world.server, world.endpoint);
      await Bun.sleep(3000);
      await stopAgain();
      proxy.setFault(() => undefined);
      await untilBackedUp(world);
      await backUpNow(world);
      await withCopy(world, store, api => recorded.compare(api, world.endpoint));
      return `stopped in ${stoppedMs.toFixed(0)} ms, started in ${world.server.startupMs.toFixed(0)} ms`;
    });

    await check(`${store.name} loses an object: verify names it, and the server puts it back`, async () => {
      let lost: string | undefined;
      proxy.setFault(request => {
        if (lost !== undefined || !isWrite(request) || request.bytes < 4000) return undefined;
        lost = request.path;
        return 'lose';
      });
      const stop = recorded.send(world.server, world.endpoint);
      await eventually(() => lost, 60_000);
      await Bun.sleep(5000);
      await stop();
      const verified = await world.installation.run(['backup', 's3', 'verify'], {}, 120_000);
      const name = lost?.split('/').at(-1) ?? '';
      // The server may have noticed it by itself before.
      ensure(
        verified.exitCode === 0 || verified.stdout.includes(name),
        `verify does not name ${name}: ${verified.stdout}${verified.stderr}`,
      );
      await eventually(async () => {
        const again = await world.installation.run(['backup', 's3', 'verify'], {}, 120_000);
        return again.exitCode === 0;
      }, 120_000);
      await backUpNow(world);
      const { stored } = await withCopy(world, store, api => recorded.compare(api, world.endpoint));
      return `verify: exit ${verified.exitCode}, ${stored} stored`;
    });
    await check(`${store.name}: the state is ok after all that`, async () =>
      JSON.stringify(await statusOf(world.installation)),
    );
  } finally {
    proxy.setFault(() => undefined);
    await world.installation.remove();
  }
}
